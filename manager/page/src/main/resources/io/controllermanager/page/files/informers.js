/** The table of informers. */

import { element, marked, setAttribute, setMarked, setText, setTime } from './dom.js';
import { bytes, count, NOTHING, seconds, span } from './format.js';
import { LiveTable } from './table.js';

/** Bookmarks come about once a minute; silence for longer than this is worth a look. */
const SILENT = 180;

export function informersTable(table) {
  return new LiveTable(table, {
    key: (informer) => `${informer.resource} ${informer.namespaces.join(',')} ${informer.twin}`,
    text: (informer) => `${informer.resource} ${informer.namespaces.join(' ')} ${state(informer)[1]}`,
    columns,
    emptyText: 'There are no informers.',
  });
}

/** Numbers those of one name: selections that differ in what a function leaves of each object are called the same. */
export function toldApart(informers) {
  const alike = new Map();
  for (const informer of informers) {
    const name = `${informer.resource} ${informer.namespaces}`;
    alike.set(name, (alike.get(name) ?? 0) + 1);
    informer.twin = alike.get(name);
  }
  return informers;
}

export function state(informer) {
  if (!informer.started) {
    return ['off', 'Not started'];
  }
  if (missingPermission(informer) !== null) {
    return ['bad', 'Forbidden'];
  }
  if (!informer.synced) {
    return ['wait', 'Filling'];
  }
  return informer.connected ? ['good', 'Watching'] : ['bad', 'Disconnected'];
}

const missingPermission = (informer) =>
  informer.reflectors.map((reflector) => reflector.missingPermission).find((missing) => missing) ?? null;

const lag = (informer) =>
  informer.handlers.reduce((most, handler) => Math.max(most, seconds(handler.lag) ?? 0), 0);

const sum = (items, value) => items.reduce((total, item) => total + value(item), 0);

function number(name, title, value, show = count, hint = null, isBad = () => false) {
  return {
    name, title, numeric: true, hint, value, make: () => element('span'),
    update: (cell, informer) => {
      setText(cell, show(value(informer)));
      setAttribute(cell, 'data-level', isBad(value(informer)) ? 'bad' : null);
    },
  };
}

const columns = [
  {
    name: 'name', title: 'Resource',
    value: (informer) => informer.resource,
    make: () => element('span', {}, element('span'), element('small')),
    update: (cell, informer) => {
      setText(cell.firstElementChild, informer.resource + (informer.twin > 1 ? `, ${informer.twin}` : ''));
      setText(cell.lastElementChild, informer.namespaces.join(', '));
    },
  },
  {
    name: 'state', title: 'State',
    value: (informer) => state(informer)[1],
    make: marked,
    update: (cell, informer) => setMarked(cell, ...state(informer)),
  },
  number('objects', 'Objects', (informer) => informer.objects),
  number('bytes', 'Size', (informer) => informer.approximateBytes, bytes, 'about how many bytes of JSON'),
  number('lag', 'Lag', lag, (secs) => (secs ? span(secs) : NOTHING),
    'how long the oldest event waits for whoever is told of it', (secs) => secs > 10),
  number('backlog', 'Backlog', (informer) => sum(informer.handlers, (handler) => handler.backlog), count,
    'events that wait for those who are told of them'),
  number('message', 'Last message', (informer) => seconds(informer.sinceLastMessage),
    (secs) => (secs === null ? NOTHING : `${span(secs)} ago`), 'when the API server last said anything',
    (secs) => secs > SILENT),
  number('lists', 'Lists', (informer) => informer.lists, count, 'how often the whole collection was asked for'),
  number('watches', 'Watches', (informer) => informer.watches, count, 'how many watches have been begun'),
  {
    name: 'last', title: 'Last error',
    value: (informer) => (informer.lastErrorAt ? -Date.parse(informer.lastErrorAt) : null),
    make: () => element('span', { class: 'error' }, element('b'), ' ', element('time'), element('small')),
    update: (cell, informer, now) => {
      const missing = missingPermission(informer);
      cell.hidden = !missing && !informer.lastError;
      setText(cell.children[0], missing ? `Missing permission: ${missing}` : '');
      cell.children[1].hidden = !informer.lastErrorAt;
      if (informer.lastErrorAt) {
        setTime(cell.children[1], informer.lastErrorAt, now, false);
      }
      setText(cell.children[2], informer.lastError ?? '');
      setAttribute(cell, 'title', informer.lastError);
    },
  },
];
