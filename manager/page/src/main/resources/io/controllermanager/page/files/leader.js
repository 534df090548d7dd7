/** Who leads: the host's one Lease, or one for each controller. */

import { byId, element, facts, marked, setAttribute, setMarked, setText, setTime } from './dom.js';
import { count, NOTHING, seconds, span } from './format.js';
import { held } from './shards.js';
import { LiveTable } from './table.js';

export function leasesTable(table) {
  return new LiveTable(table, {
    key: (lease) => lease.lease,
    text: (lease) => lease.lease,
    columns,
    emptyText: 'There is no Lease.',
  });
}

/** The Leases, whichever form the endpoint answers in. By its own, a divided controller does not work: shards have theirs. */
export function leases(answer) {
  return answer.controllers
    ? Object.entries(answer.controllers).map(([name, lease]) => ({ ...lease, divided: Boolean(answer.divided?.[name]) }))
    : [answer];
}

export function state(lease) {
  if (!lease.enabled) {
    return ['good', 'Not asked for'];
  }
  if (lease.leading) {
    return ['good', 'Leading'];
  }
  return lease.lastError ? ['bad', 'Standing by, with an error'] : ['hold', 'Standing by'];
}

/** The whole process in a few words. */
export function badge(leasesOfAll, shards = []) {
  const all = leasesOfAll.filter(({ divided }) => divided !== true);
  if (shards.length) {
    const share = `${count(held(shards))} of ${count(shards.length)} shards`;
    const [level, rest] = all.length ? badge(all) : ['hold', ''];
    return [held(shards) ? 'good' : level, rest ? `${rest}, ${share}` : share];
  }
  const led = all.filter((lease) => lease.leading || !lease.enabled).length;
  if (all.length > 1) {
    return [led ? 'good' : 'hold', `Leads ${led} of ${all.length}`];
  }
  if (all.length && !all[0].enabled) {
    return ['good', 'No leader election'];
  }
  return led ? ['good', 'Leader'] : ['hold', 'Standby'];
}

export function showHeader(all, shards) {
  const node = byId('leader-badge');
  node.hidden = all.length === 0;
  if (all.length === 0) {
    return;
  }
  setMarked(node, ...badge(all, shards));
  const holders = new Set(all.map((lease) => lease.holder).filter(Boolean));
  facts(byId('identity'), [
    ...(all[0].identity ? [['Identity', all[0].identity]] : []),
    ...(all[0].enabled && [...holders].some((holder) => holder !== all[0].identity) ? [['Lease held by', [...holders].join(', ')]] : []),
  ]);
}

const columns = [
  {
    name: 'name', title: 'Lease',
    value: (lease) => lease.lease,
    make: () => element('span'),
    update: (cell, lease) => setText(cell, lease.lease || NOTHING),
  },
  {
    name: 'state', title: 'This process',
    value: (lease) => state(lease)[1],
    make: marked,
    update: (cell, lease) => setMarked(cell, ...state(lease)),
  },
  {
    name: 'holder', title: 'Holder',
    value: (lease) => lease.holder,
    make: () => element('span'),
    update: (cell, lease) => setText(cell, lease.holder || NOTHING),
  },
  {
    name: 'since', title: 'Leads since',
    value: (lease) => (lease.acquiredAt ? -Date.parse(lease.acquiredAt) : null),
    make: () => element('time'),
    update: (cell, lease, now) => {
      if (lease.acquiredAt) {
        setTime(cell, lease.acquiredAt, now);
      } else {
        cell.removeAttribute('datetime');
        setText(cell, NOTHING);
      }
    },
  },
  {
    name: 'renewal', title: 'Last renewal', numeric: true,
    value: (lease) => seconds(lease.sinceRenewal),
    make: () => element('span'),
    update: (cell, lease) => {
      const since = seconds(lease.sinceRenewal);
      setText(cell, since === null ? NOTHING : `${span(since)} ago`);
    },
  },
  {
    name: 'transitions', title: 'Changes of holder', numeric: true,
    value: (lease) => lease.transitions,
    make: () => element('span'),
    update: (cell, lease) => setText(cell, count(lease.transitions)),
  },
  {
    name: 'last', title: 'Last error',
    value: (lease) => lease.lastError ?? lease.watchError,
    make: () => element('span', { class: 'error' }),
    update: (cell, lease) => {
      const text = [lease.lastError, lease.watchError].filter(Boolean).join('; ');
      setText(cell, text);
      setAttribute(cell, 'title', text || null);
    },
  },
];
