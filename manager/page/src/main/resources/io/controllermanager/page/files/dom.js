/**
 * The few things that this page does to the document. Text from elsewhere is only ever set as text, never as markup: keys
 * and messages come from whoever may create an object. What has not changed is not touched, so that focus, selection and
 * scrolling survive a refresh.
 */

import { ago, dateTime } from './format.js';

export const byId = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function setText(node, text) {
  const next = String(text);
  // Remembered beside the document, which is slower to ask.
  if (node.shownText !== next) {
    node.shownText = next;
    node.textContent = next;
  }
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined) {
    node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value);
  }
}

/** A state by a shape as well as by words and colour. */
export function marked() {
  return element('span', { class: 'state' },
    element('span', { class: 'mark', 'aria-hidden': 'true' }), element('span', { class: 'text' }));
}

export function setMarked(node, level, text) {
  setAttribute(node, 'data-level', level);
  setText(node.lastElementChild, text);
}

/** A moment, absolute and relative. */
export function setTime(node, iso, now, absolute = true) {
  const date = new Date(iso);
  setAttribute(node, 'datetime', iso);
  setAttribute(node, 'title', dateTime(date));
  setText(node, absolute ? `${dateTime(date)}, ${ago(date, now)}` : ago(date, now));
}

/**
 * Makes the children of a node those of a list of items, in its order: a child is kept for as long as there is an item of
 * its key, and as few as possible are moved.
 *
 * @param key says what an item is known by
 * @param make makes a child for an item
 * @param update brings a child up to date, unless it is null
 * @param kept how the node's children were made the last time: the map that this returned
 */
export function sync(parent, items, key, make, update, kept = parent.kept ?? new Map()) {
  const next = new Map();
  const children = items.map((item) => {
    const id = key(item);
    const child = kept.get(id) ?? make(item);
    next.set(id, child);
    return child;
  });
  for (const [id, child] of kept) {
    if (next.get(id) !== child) {
      child.remove();
    }
  }
  order(parent, children);
  if (update) {
    items.forEach((item, i) => update(children[i], item));
  }
  parent.kept = next;
  return next;
}

/** Puts the children in order, those behind what is not among them; moves only what is not on the longest rising run. */
export function order(parent, children) {
  const places = new Map();
  let place = 0;
  for (let child = parent.firstChild; child; child = child.nextSibling) {
    places.set(child, place++);
  }
  const resting = longestRise(children.map((child) => places.get(child) ?? -1));
  let before = null;
  for (let i = children.length - 1; i >= 0; i--) {
    const child = children[i];
    if (!resting.has(i)) {
      move(parent, child, before);
    }
    before = child;
  }
}

function move(parent, child, before) {
  // moveBefore keeps the focus; where a browser has none, only what moves loses it.
  if (parent.moveBefore && child.parentNode === parent) {
    parent.moveBefore(child, before);
    return;
  }
  const focused = child.contains(document.activeElement) ? document.activeElement : null;
  parent.insertBefore(child, before);
  focused?.focus({ preventScroll: true });
}

/** The indexes of a longest rising subsequence of numbers, negative ones left out. */
function longestRise(numbers) {
  const tails = [];
  const previous = new Array(numbers.length);
  numbers.forEach((number, i) => {
    if (number < 0) {
      return;
    }
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[tails[middle]] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    previous[i] = low > 0 ? tails[low - 1] : -1;
    tails[low] = i;
  });
  const rise = new Set();
  for (let i = tails.length ? tails[tails.length - 1] : -1; i >= 0; i = previous[i]) {
    rise.add(i);
  }
  return rise;
}

/** Terms and what they are: a list of [term, text, level]. */
export function facts(list, pairs) {
  sync(list, pairs, ([term]) => term, ([term]) => {
    const value = element('dd');
    const group = element('div', {}, element('dt', {}, term), value);
    return group;
  }, (group, [, text, level]) => {
    setText(group.lastElementChild, text);
    setAttribute(group, 'data-level', level ?? null);
  });
}
