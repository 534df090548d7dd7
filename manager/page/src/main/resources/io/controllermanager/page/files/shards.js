/** The shards of divided controllers: who has them, and how many objects each has. */

import { byId, element, marked, setAttribute, setMarked, setText, setTime } from './dom.js';
import { count, NOTHING, words } from './format.js';
import { LiveTable } from './table.js';

const LEVELS = { WORKING: 'good', WAITING: 'wait', ELSEWHERE: 'hold', FREE: 'bad' };

export function shardsTable(table) {
  return new LiveTable(table, {
    key: (shard) => shard.lease,
    text: (shard) => `${shard.controller} ${shard.shard} ${words(shard.state)} ${holder(shard) ?? ''}`,
    columns: ofShards,
    emptyText: 'There are no shards.',
  });
}

export function holdersTable(table) {
  return new LiveTable(table, {
    key: (share) => `${share.controller} ${share.holder ?? ''}`,
    text: (share) => `${share.controller} ${share.holder ?? ''}`,
    columns: ofHolders,
    emptyText: 'There are no shards.',
  });
}

/** Each shard of each divided controller; beside how it is, how many there are and what the largest share of objects is. */
export function shards(answer) {
  return Object.entries(answer?.divided ?? {}).flatMap(([controller, divided]) => {
    const most = Math.max(...divided.shards.map(({ objects }) => objects));
    return divided.shards.map((shard) => ({ ...shard, controller, most }));
  });
}

/** How many of each controller's shards each process has, those that nobody has together. */
export function holders(all, me) {
  const shares = new Map();
  for (const shard of all) {
    const has = holder(shard);
    const key = `${shard.controller} ${has ?? ''}`;
    if (!shares.has(key)) {
      shares.set(key, { controller: shard.controller, holder: has, here: has !== null && has === me, free: false, numbers: [], objects: 0 });
    }
    const share = shares.get(key);
    share.numbers.push(shard.shard);
    share.free ||= shard.state === 'FREE';
    share.objects += shard.leading ? shard.objects : 0;
  }
  const list = [...shares.values()];
  return list.map((share) => ({
    ...share,
    most: Math.max(...list.filter(({ controller }) => controller === share.controller).map(({ numbers }) => numbers.length)),
  }));
}

export const held = (all) => all.filter(({ leading }) => leading).length;

export const free = (all) => all.filter(({ state }) => state === 'FREE').length;

export function showShardsPanel(all) {
  byId('shards-panel').hidden = all.length === 0;
}

/** Who has it; the name in a Lease that has run out is not that of its holder. */
const holder = (shard) => (shard.state === 'FREE' ? null : shard.holder ?? null);

/** Numbers such as 0–4, 7. */
export function ranges(numbers) {
  const runs = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last && last[1] === number - 1) {
      last[1] = number;
    } else {
      runs.push([number, number]);
    }
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/** A number with a bar, as long as it is large beside the largest. */
function measured(name, title, value, hint) {
  return {
    name, title, numeric: true, hint, value,
    make: () => element('span', {}, element('span'), element('span', { class: 'bar', 'aria-hidden': 'true' })),
    update: (cell, item) => {
      const number = value(item);
      setText(cell.firstElementChild, number === null ? NOTHING : count(number));
      cell.lastElementChild.style.setProperty('--share', item.most > 0 ? (number ?? 0) / item.most : 0);
    },
  };
}

function text(name, title, value) {
  return {
    name, title, value,
    make: () => element('span'),
    update: (cell, item) => setText(cell, value(item) ?? NOTHING),
  };
}

const ofHolders = [
  text('name', 'Controller', (share) => share.controller),
  {
    name: 'holder', title: 'Holder',
    value: (share) => share.holder,
    make: () => element('span', {}, element('span'), element('small')),
    update: (cell, share) => {
      setText(cell.firstElementChild, share.holder ?? 'Nobody');
      setAttribute(cell.firstElementChild, 'data-level', share.free ? 'bad' : null);
      setText(cell.lastElementChild, share.here ? 'this process' : '');
    },
  },
  measured('shards', 'Shards', (share) => share.numbers.length, 'how many shards it has'),
  text('numbers', 'Numbers', (share) => ranges(share.numbers)),
  {
    name: 'objects', title: 'Objects', numeric: true, hint: 'of the type that the controller is for; known of this process only',
    value: (share) => (share.here ? share.objects : null),
    make: () => element('span'),
    update: (cell, share) => setText(cell, share.here ? count(share.objects) : NOTHING),
  },
];

const ofShards = [
  {
    name: 'name', title: 'Shard',
    value: (shard) => `${shard.controller} ${shard.shard}`,
    make: () => element('span'),
    update: (cell, shard) => {
      setText(cell, `${shard.controller} ${shard.shard}`);
      setAttribute(cell, 'title', shard.lease);
    },
  },
  {
    name: 'state', title: 'This process',
    value: (shard) => words(shard.state),
    make: marked,
    update: (cell, shard) => setMarked(cell, LEVELS[shard.state] ?? 'wait', words(shard.state)),
  },
  text('holder', 'Holder', holder),
  measured('objects', 'Objects', (shard) => (shard.leading ? shard.objects : null),
    'of the type that the controller is for; known of shards that this process holds'),
  {
    name: 'since', title: 'Held since',
    value: (shard) => (shard.since ? -Date.parse(shard.since) : null),
    make: () => element('time'),
    update: (cell, shard, now) => {
      if (shard.since) {
        setTime(cell, shard.since, now, false);
      } else {
        cell.removeAttribute('datetime');
        cell.removeAttribute('title');
        setText(cell, NOTHING);
      }
    },
  },
  {
    name: 'moves', title: 'Begun here', numeric: true, hint: 'how often this process has begun to work on it',
    value: (shard) => shard.moves,
    make: () => element('span'),
    update: (cell, shard) => setText(cell, count(shard.moves)),
  },
  {
    name: 'transitions', title: 'Changes of holder', numeric: true,
    value: (shard) => shard.transitions,
    make: () => element('span'),
    update: (cell, shard) => setText(cell, count(shard.transitions)),
  },
  {
    name: 'detail', title: 'Detail',
    value: (shard) => shard.detail ?? null,
    make: () => element('span'),
    update: (cell, shard) => {
      setText(cell, shard.detail ?? '');
      setAttribute(cell, 'title', shard.detail ?? null);
    },
  },
];
