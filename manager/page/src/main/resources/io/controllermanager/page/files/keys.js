/** In an opened controller: which keys were reconciled last, and why one was, what that wrote and what it waits for. */

import { get, Refusal } from './api.js';
import { element, setText, setTime, sync } from './dom.js';
import { count, seconds, span, words } from './format.js';

const SHOWN = 20;

export class Keys {

  constructor(controller) {
    this.path = `controllers/${encodeURIComponent(controller)}/keys`;
    const id = `keys-${controller}`;
    this.input = element('input', { id, type: 'search', autocomplete: 'off', spellcheck: 'false' });
    this.found = element('ul', { class: 'found' });
    this.waits = element('p', { class: 'waits', role: 'status' });
    this.line = element('ul', { class: 'line' });
    const form = element('form', { role: 'search' },
      element('label', { for: id }, 'namespace/name, or a part of it'), ' ', this.input, ' ',
      element('button', { type: 'submit' }, 'Find'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#ask(() => this.#find());
    });
    this.node = element('section', { class: 'keys', 'aria-label': 'Keys' },
      element('h3', {}, 'Why a key was reconciled'), form, this.found, this.waits, this.line);
  }

  async #find() {
    const wanted = this.input.value.trim();
    const { keys } = await get(`${this.path}?contains=${encodeURIComponent(wanted)}`);
    const shown = keys.slice(0, SHOWN).map((key) => ({ key }));
    sync(this.found, shown, ({ key }) => key, ({ key }) => this.#choice(key), () => {});
    // One that was never reconciled here can still be asked for.
    if (keys.includes(wanted) || (keys.length === 0 && wanted)) {
      await this.#show(wanted);
    } else {
      setText(this.waits, keys.length ? '' : 'No key was reconciled here lately.');
      sync(this.line, [], () => null, () => null, null);
    }
  }

  #choice(key) {
    const button = element('button', { type: 'button', class: 'opener' }, key);
    button.addEventListener('click', () => this.#ask(() => this.#show(key)));
    return element('li', {}, button);
  }

  async #show(key) {
    const [namespace, name] = key.includes('/') ? key.split('/') : ['-', key];
    const known = await get(`${this.path}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);
    setText(this.waits, known.waits + (known.quiet ? ` ${count(known.quiet)} reconciles besides changed nothing.` : ''));
    sync(this.line, known.reconciles, ({ id }) => id,
      () => element('li', {}, element('time'), ' ', element('b'), ' ', element('span', { class: 'message' })),
      (item, reconcile) => {
        setTime(item.children[0], reconcile.at, Date.now());
        setText(item.children[1], words(reconcile.outcome) + (reconcile.cause ? ` (${reconcile.cause})` : ''));
        setText(item.children[2], sentences(reconcile));
      });
  }

  async #ask(question) {
    try {
      await question();
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      setText(this.waits, error.message);
    }
  }
}

/** In the middle of a sentence. */
const plain = (constant) => words(constant).toLowerCase();

const fields = (paths) => (paths.length ? ` (${paths.join(', ')})` : '');

const list = (items, more) => (items.length ? items.join('; ') + (more ? `; ${count(more)} more` : '') : 'nothing');

function sentences(reconcile) {
  const causes = reconcile.causes.map(({ kind, source, key, via, times, paths }) => (
    [plain(kind), source, key, via && `by ${via}`, times > 1 && `${count(times)} times`].filter(Boolean).join(' ')
    + fields(paths)));
  const writes = reconcile.writes.map(({ verb, type, key, effect, paths }) => (
    `${verb} ${type} ${key}${effect === 'NONE' ? ', nothing to do' : fields(paths)}`));
  const waited = reconcile.delay ? ` after ${span(seconds(reconcile.delayed))} of ${plain(reconcile.delay)}` : '';
  return [
    `because of ${list(causes, reconcile.moreCauses)}.`,
    `Writes: ${list(writes, reconcile.moreWrites)}.`,
    ...(reconcile.failures.length ? [`Failed: ${list(reconcile.failures, reconcile.moreFailures)}.`] : []),
    `Waited ${span(seconds(reconcile.waited))}${waited}.`,
  ].join(' ');
}
