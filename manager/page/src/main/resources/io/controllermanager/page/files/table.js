/**
 * A table that can be sorted by each column and filtered, and follows its data. Each item has a tbody of its own: its row
 * and, where it can be opened, a row below with more. Of a thousand rows only those that are on the screen are brought up to
 * date each time; the others when they come into view, and in turn, so that what is found, copied or printed is not old.
 *
 * The style sheet lays rows out as grids, since browsers cannot skip those of a table that are out of sight; the roles are
 * said, so that it stays a table for those who do not see it.
 */

import { element, order, setAttribute, setText } from './dom.js';

/** So many rows out of sight follow each time. */
const IN_TURN = 100;

const compareText = new Intl.Collator(undefined, { numeric: true }).compare;

export class LiveTable {

  /**
   * @param columns of each: title, value(item) that it is sorted by, make() a cell's content, update(content, item, now);
   *     numeric for numbers, largest first
   * @param key what an item is known by
   * @param text what the filter looks at
   * @param detail makes what stands in an item's second row: {node, update(item, now)}; rows cannot be opened without it
   */
  constructor(table, { columns, key, text, detail = null, onOpen = () => {}, emptyText }) {
    this.columns = columns;
    this.key = key;
    this.text = text;
    this.detail = detail;
    this.onOpen = onOpen;
    this.table = table;
    this.emptyText = emptyText;
    this.rows = new Map();
    this.items = [];
    this.sortColumn = 0;
    this.descending = false;
    this.filter = '';
    this.rowsByBody = new WeakMap();
    this.stale = new Set();
    this.visible = new Set();
    this.places = new Map();
    this.observer = new IntersectionObserver((entries) => this.#cameIntoView(entries), { rootMargin: '300px' });
    this.#makeHead();
    this.empty = element('tbody', { class: 'empty' },
      element('tr', { role: 'row' }, element('td', { role: 'cell', colspan: String(columns.length) })));
    setAttribute(this.empty, 'role', 'rowgroup');
    window.addEventListener('beforeprint', () => this.#updateAll());
  }

  #makeHead() {
    const row = element('tr', { role: 'row' });
    this.columns.forEach((column, i) => {
      const button = element('button', { type: 'button' }, column.title,
        element('span', { class: 'arrow', 'aria-hidden': 'true' }));
      button.addEventListener('click', () => this.#sortBy(i));
      const cell = element('th', { scope: 'col', role: 'columnheader' }, button);
      if (column.numeric) {
        cell.classList.add('number');
      }
      if (column.hint) {
        cell.title = column.hint;
      }
      cell.dataset.column = column.name;
      row.append(cell);
    });
    this.head = row;
    setAttribute(this.table, 'role', 'table');
    this.table.append(element('thead', { role: 'rowgroup' }, row));
    this.#showSorting();
  }

  #sortBy(index) {
    this.descending = this.sortColumn === index ? !this.descending : Boolean(this.columns[index].numeric);
    this.sortColumn = index;
    this.#showSorting();
    this.show(this.items, this.now);
  }

  #showSorting() {
    [...this.head.children].forEach((cell, i) => {
      setAttribute(cell, 'aria-sort', i === this.sortColumn ? (this.descending ? 'descending' : 'ascending') : 'none');
    });
  }

  setFilter(text) {
    this.filter = text.trim().toLowerCase();
    this.show(this.items, this.now);
  }

  get openItems() {
    return this.items.filter((item) => this.rows.get(this.key(item))?.detail);
  }

  get shownCount() {
    return this.shown.length;
  }

  /** Follows the data. */
  show(items, now = Date.now()) {
    this.items = items;
    this.now = now;
    const wanted = this.filter.split(/\s+/).filter((word) => word !== '');
    this.shown = this.#asBefore(wanted.length === 0 ? items : items.filter((item) => {
      const text = this.text(item).toLowerCase();
      return wanted.every((word) => text.includes(word));
    }));
    this.#sort(this.shown);
    this.places = new Map(this.shown.map((item, i) => [this.key(item), i]));
    const known = new Set(items.map(this.key));
    for (const [key, row] of this.rows) {
      if (!known.has(key)) {
        this.#hide(row);
        this.rows.delete(key);
      }
    }
    const bodies = this.shown.map((item) => this.#row(item).body);
    const showing = new Set(bodies);
    for (const row of this.rows.values()) {
      if (!showing.has(row.body) && row.body.isConnected) {
        this.#hide(row);
      }
    }
    setText(this.empty.firstChild.firstChild, items.length ? 'Nothing has that in its name or state.' : this.emptyText);
    order(this.table, [this.table.caption, this.table.tHead, ...(bodies.length ? bodies : [this.empty])]);
    if (bodies.length) {
      this.empty.remove();
    }
    for (const item of this.shown) {
      const row = this.rows.get(this.key(item));
      row.item = item;
      if (!row.observed) {
        row.observed = true;
        this.observer.observe(row.body);
      }
      if (row.fresh || this.visible.has(row) || row.detail) {
        this.#update(row);
      } else {
        this.stale.add(row);
      }
    }
    this.#catchUp();
  }

  /** In the order of the last time, new ones last: what is nearly in order is sorted in a fraction of the time. */
  #asBefore(items) {
    const before = [];
    const fresh = [];
    for (const item of items) {
      const place = this.places.get(this.key(item));
      if (place === undefined) {
        fresh.push(item);
      } else {
        before[place] = item;
      }
    }
    return [...before.filter((item) => item !== undefined), ...fresh];
  }

  #sort(items) {
    const { value } = this.columns[this.sortColumn];
    const sign = this.descending ? -1 : 1;
    const values = new Map(items.map((item) => [item, value(item)]));
    items.sort((a, b) => {
      const x = values.get(a);
      const y = values.get(b);
      // What is not known stands last, whichever way.
      if (x === null || y === null) {
        return (x === null) - (y === null) || compareText(this.key(a), this.key(b));
      }
      const difference = typeof x === 'number' ? x - y : compareText(x, y);
      return sign * difference || compareText(this.key(a), this.key(b));
    });
  }

  #row(item) {
    const key = this.key(item);
    let row = this.rows.get(key);
    if (!row) {
      row = this.#makeRow(key);
      this.rows.set(key, row);
    }
    return row;
  }

  #makeRow(key) {
    const tr = element('tr', { role: 'row' });
    const contents = this.columns.map((column, i) => {
      const content = column.make();
      const cell = i === 0
        ? element('th', { scope: 'row', role: 'rowheader' }, content)
        : element('td', { role: 'cell' }, content);
      if (column.numeric) {
        cell.classList.add('number');
      }
      cell.dataset.column = column.name;
      tr.append(cell);
      return content;
    });
    const body = element('tbody', { role: 'rowgroup' }, tr);
    const row = { key, body, contents, item: null, detail: null, fresh: true, observed: false };
    this.rowsByBody.set(body, row);
    if (this.detail) {
      const button = contents[0].querySelector('button');
      button.setAttribute('aria-expanded', 'false');
      button.addEventListener('click', () => this.#toggle(row, button));
    }
    return row;
  }

  #toggle(row, button) {
    if (row.detail) {
      row.detailRow.remove();
      row.detail = null;
      button.setAttribute('aria-expanded', 'false');
      button.removeAttribute('aria-controls');
      return;
    }
    row.detail = this.detail(row.item);
    const id = `detail-${++LiveTable.ids}`;
    row.detailRow = element('tr', { class: 'detail', id, role: 'row' },
      element('td', { role: 'cell', colspan: String(this.columns.length) }, row.detail.node));
    row.body.append(row.detailRow);
    button.setAttribute('aria-expanded', 'true');
    button.setAttribute('aria-controls', id);
    this.#update(row);
    this.onOpen(row.item);
  }

  /** Brings the opened row of an item up to date. */
  refreshDetail(item) {
    const row = this.rows.get(this.key(item));
    row?.detail?.update(item, Date.now());
  }

  #update(row) {
    row.fresh = false;
    this.stale.delete(row);
    this.columns.forEach((column, i) => column.update(row.contents[i], row.item, this.now));
    row.detail?.update(row.item, this.now);
  }

  #hide(row) {
    this.observer.unobserve(row.body);
    row.observed = false;
    this.visible.delete(row);
    this.stale.delete(row);
    row.body.remove();
  }

  #cameIntoView(entries) {
    for (const entry of entries) {
      const row = this.rowsByBody.get(entry.target);
      if (entry.isIntersecting) {
        this.visible.add(row);
        if (this.stale.has(row)) {
          this.#update(row);
        }
      } else {
        this.visible.delete(row);
      }
    }
  }

  /** Those that have waited longest first: what is added to a set stands last in it. */
  #catchUp() {
    let left = IN_TURN;
    for (const row of this.stale) {
      if (left-- === 0) {
        break;
      }
      this.#update(row);
    }
  }

  #updateAll() {
    for (const row of this.stale) {
      this.#update(row);
    }
  }
}

LiveTable.ids = 0;
