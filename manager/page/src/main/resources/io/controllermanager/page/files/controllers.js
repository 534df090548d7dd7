/** The table of controllers. */

import { element, marked, setAttribute, setMarked, setText, setTime, sync } from './dom.js';
import { count, NOTHING, rate, seconds, span, words } from './format.js';
import { Keys } from './keys.js';
import { LiveTable } from './table.js';

const LEVELS = {
  RUNNING: 'good',
  FAILED: 'bad',
  PAUSED: 'hold',
  DISABLED: 'off',
  STOPPED: 'off',
};

/** What needs a look stands first when the table is sorted by state. */
const URGENCY = ['FAILED', 'WAITING_FOR_TYPE', 'WAITING_FOR_CACHES', 'PAUSED', 'STOPPED', 'WAITING_FOR_LEADERSHIP',
  'RUNNING', 'DISABLED'];

const PRIORITIES = { 100: 'high', 0: 'normal', '-100': 'low' };

const priority = (value) => PRIORITIES[value] ?? value;

/** The highest first; the order of an object's keys is not to be relied on. */
const byPriority = (depths) => Object.entries(depths ?? {}).sort(([a], [b]) => b - a);

export function controllersTable(table, rates, onOpen) {
  return new LiveTable(table, {
    key: (controller) => controller.name,
    text: (controller) => `${controller.name} ${words(controller.state)} ${controller.state} ${controller.detail ?? ''}`,
    columns: columns(rates),
    detail: (controller) => new Detail(controller.name),
    onOpen,
    emptyText: 'There are no controllers.',
  });
}

/** Empty where there is nothing to say beyond the number: keys at the normal priority alone. */
function priorities(controller) {
  const depths = byPriority(controller.depthByPriority).filter(([, depth]) => depth > 0);
  return depths.every(([value]) => value === '0')
    ? ''
    : depths.map(([value, depth]) => `${count(depth)} ${priority(value)}`).join(', ');
}

const plainCell = () => element('span');

function number(name, title, value, show = count, hint = null) {
  return {
    name, title, numeric: true, hint, value, make: plainCell,
    update: (cell, controller) => setText(cell, show(value(controller))),
  };
}

function columns(rates) {
  const problem = (column) => ({
    ...column,
    update: (cell, controller) => {
      setText(cell, count(column.value(controller)));
      setAttribute(cell, 'data-level', column.value(controller) > 0 ? 'bad' : null);
    },
  });
  return [
    {
      name: 'name', title: 'Name',
      value: (controller) => controller.name,
      make: () => element('span', {}, element('button', { type: 'button', class: 'opener' }), element('small')),
      update: (cell, controller) => {
        setText(cell.firstElementChild, controller.name);
        const detail = controller.detail ?? '';
        setText(cell.lastElementChild, detail);
        setAttribute(cell.lastElementChild, 'title', detail);
      },
    },
    {
      name: 'state', title: 'State',
      value: (controller) => URGENCY.indexOf(controller.state),
      make: marked,
      update: (cell, controller) => setMarked(cell, stateLevel(controller), words(controller.state)),
    },
    {
      ...number('workers', 'Workers', (controller) => controller.activeWorkers, count, 'busy of all'),
      update: (cell, controller) => {
        setText(cell, `${count(controller.activeWorkers)}/${count(controller.workers)}`);
        setAttribute(cell, 'data-level', controller.stuck.length ? 'bad' : null);
      },
    },
    {
      ...number('queue', 'Queue', (controller) => controller.queueDepth, count, 'keys ready to be reconciled'),
      make: () => element('span', {}, element('span'), element('small')),
      update: (cell, controller) => {
        setText(cell.firstElementChild, count(controller.queueDepth));
        setText(cell.lastElementChild, priorities(controller));
      },
    },
    number('wait', 'Wait', (controller) => seconds(controller.longestWait), (secs) => (secs ? span(secs) : NOTHING),
      'how long the next key has waited'),
    number('delayed', 'Delayed', (controller) => controller.delayed, count, 'keys that wait for their time'),
    problem(number('failing', 'Failing', (controller) => controller.failing, count, 'keys that are retried')),
    number('rate', 'Rate/s', (controller) => rates.of(controller.name), rate, 'reconciles in a second'),
    number('p50', 'p50', (controller) => seconds(controller.times?.p50), span,
      'half of the reconciles of the last five minutes took no longer'),
    number('p99', 'p99', (controller) => seconds(controller.times?.p99), span,
      '99 of 100 reconciles of the last five minutes took no longer'),
    number('errors', 'Errors', (controller) => controller.errors, count, 'reconciles that failed since the start'),
    {
      name: 'last', title: 'Last error', numeric: false,
      value: (controller) => (controller.lastError ? -Date.parse(controller.lastError.at) : null),
      make: () => element('span', { class: 'error' }, element('b'), ' ', element('time'), element('small')),
      update: (cell, controller, now) => {
        const error = controller.lastError;
        cell.hidden = !error;
        if (error) {
          setText(cell.children[0], error.key);
          setTime(cell.children[1], error.at, now, false);
          setText(cell.children[2], error.message);
          setAttribute(cell, 'title', `${error.key}: ${error.message}`);
        }
      },
    },
  ];
}

export const stateLevel = (controller) => LEVELS[controller.state] ?? 'wait';

/** What an opened row shows: as it came with the list, and, asked for only while it is open, its queue and errors. */
class Detail {

  constructor(controller) {
    this.lists = {};
    this.node = element('div', { class: 'more' },
      this.#part('about', 'About'),
      this.#part('errors', 'Recent errors, the newest of each key'),
      this.#part('stuck', 'Stuck reconciles'),
      this.#part('processing', 'Being reconciled'),
      this.#part('delayed', 'Delayed'),
      this.#part('retries', 'Failed most often'),
      new Keys(controller).node);
  }

  #part(name, title) {
    const list = element('ul');
    const part = element('section', { class: name, 'aria-label': title }, element('h3', {}, title), list);
    this.lists[name] = list;
    return part;
  }

  #fill(name, items, make, update) {
    const list = this.lists[name];
    list.parentNode.hidden = items.length === 0;
    sync(list, items, (item) => item.key ?? item.thread, make, update);
  }

  update(controller, now) {
    const about = [
      { key: 'Watches', text: controller.watches.join(', ') || NOTHING },
      { key: 'Reconciles', text: count(controller.reconciles) },
      ...(controller.times
        ? [{ key: 'Longest lately', text: `${span(seconds(controller.times.max))}, of ${count(controller.times.count)}` }]
        : []),
      ...(controller.detail ? [{ key: 'Detail', text: controller.detail }] : []),
      ...(controller.moreError ? [{ key: 'Queue', text: controller.moreError }] : []),
      ...byPriority(controller.queue?.depthByPriority ?? controller.depthByPriority).map(([value, depth]) => (
        { key: `Ready at priority ${value}`, text: `${count(depth)} (${priority(value)})` })),
    ];
    this.#fill('about', about, () => element('li', {}, element('b'), ' ', element('span')), (item, { key, text }) => {
      setText(item.firstElementChild, key);
      setText(item.lastElementChild, text);
    });
    const errors = controller.recentErrors ?? (controller.lastError ? [controller.lastError] : []);
    this.#fill('errors', errors,
      () => element('li', {}, element('b'), ' ', element('time'), ' ', element('span', { class: 'message' })),
      (item, error) => {
        setText(item.children[0], error.key);
        setTime(item.children[1], error.at, now);
        setText(item.children[2], error.message);
      });
    this.#fill('stuck', controller.stuck,
      () => element('li', {}, element('b'), ' since ', element('time'), ' on thread ', element('code')),
      (item, stuck) => {
        setText(item.children[0], stuck.key);
        setTime(item.children[1], stuck.since, now);
        setText(item.children[2], stuck.thread);
      });
    const timed = () => element('li', {}, element('b'), ' ', element('span'));
    this.#fill('processing', first(controller.queue?.processing), timed, (item, key) => {
      setText(item.firstElementChild, key.key);
      setText(item.lastElementChild, `for ${span(key.seconds)}`);
    });
    this.#fill('delayed', first(controller.queue?.delayed), timed, (item, key) => {
      setText(item.firstElementChild, key.key);
      setText(item.lastElementChild, `in ${span(key.seconds)}`);
    });
    this.#fill('retries', first(controller.queue?.retries), timed, (item, key) => {
      setText(item.firstElementChild, key.key);
      setText(item.lastElementChild, `${count(key.failures)} times`);
    });
  }
}

const first = (keys) => (keys ?? []).slice(0, 10);
