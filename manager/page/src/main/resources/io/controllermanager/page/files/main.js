/** Asks every two seconds, shows the answers, and says when there are none. */

import { findEndpoints, get, hasToken, Refusal, useToken } from './api.js';
import { byId, facts, setAttribute, setMarked, setText } from './dom.js';
import { controllersTable } from './controllers.js';
import { ago, bytes, count, rate, timeOfDay } from './format.js';
import { informersTable, state as informerState, toldApart } from './informers.js';
import { badge, leases, leasesTable, showHeader } from './leader.js';
import { Rates } from './rates.js';
import { free, held, holders, holdersTable, shards, shardsTable, showShardsPanel } from './shards.js';

const INTERVAL = 2000;
const LONGEST_PAUSE = 15_000;
const INFO_INTERVAL = 60_000;

const rates = new Rates();
const controllers = controllersTable(byId('controllers'), rates, openedRow);
const informers = informersTable(byId('informers'));
const leaseTable = leasesTable(byId('leases'));
const holderTable = holdersTable(byId('holders'));
const shardTable = shardsTable(byId('shards'));

let found = null;
let timer = null;
let asking = false;
let failures = 0;
let lostAt = null;
let failed = null;
let ledAs = null;
let info = null;
let infoAt = -Infinity;
let answers = 0;

async function refresh() {
  if (asking || document.hidden) {
    return;
  }
  asking = true;
  clearTimeout(timer);
  let pause = INTERVAL;
  try {
    found ??= await findEndpoints();
    if (found.port !== null) {
      elsewhere();
      return;
    }
    await ask();
    failures = 0;
    connected();
  } catch (error) {
    if (!(error instanceof Refusal)) {
      lost('this page has a fault');
      throw error;
    }
    pause = refused(error);
  } finally {
    asking = false;
    if (found?.port == null && pause !== null && !document.hidden) {
      timer = setTimeout(refresh, pause);
    }
  }
}

async function ask() {
  const [list, caches, election, about] = await Promise.all([
    get('controllers'),
    optional(get('informers')),
    optional(get('leaderelection')),
    performance.now() - infoAt > INFO_INTERVAL ? optional(get('info')) : null,
  ]);
  for (const controller of controllers.openItems) {
    await addMore(list.controllers.find(({ name }) => name === controller.name));
  }
  if (about !== null && !(about instanceof Refusal)) {
    info = about;
    // The version of Kubernetes is learnt beside, and comes with one of the next answers.
    infoAt = info.versions?.kubernetes ? performance.now() : performance.now() - INFO_INTERVAL + 4 * INTERVAL;
  }
  performance.mark('refresh');
  show(list.controllers, caches, election);
  performance.measure('refresh', 'refresh');
  answers++;
  document.documentElement.dataset.answers = answers;
}

/** What cannot be had is said where it would stand, and the rest is shown. */
async function optional(request) {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Refusal && error.status !== 0) {
      return error;
    }
    throw error;
  }
}

/** What only an opened row shows. */
async function addMore(controller) {
  if (!controller) {
    return;
  }
  const path = `controllers/${encodeURIComponent(controller.name)}`;
  const [queue, errors] = await Promise.all([optional(get(`${path}/queue`)), optional(get(`${path}/errors`))]);
  if (queue instanceof Refusal) {
    controller.moreError = queue.message;
  } else {
    controller.queue = queue;
    // The same list is shown again when the server says that it has not changed.
    delete controller.moreError;
  }
  if (!(errors instanceof Refusal)) {
    controller.recentErrors = errors.errors;
  }
}

async function openedRow(controller) {
  try {
    await addMore(controller);
    controllers.refreshDetail(controller);
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    // The next refresh says what is wrong.
  }
}

function show(list, caches, election) {
  const now = Date.now();
  byId('sign-in').hidden = true;
  byId('refused').hidden = true;
  byId('data').hidden = false;
  byId('forget').hidden = !hasToken();
  rates.add(list, performance.now());
  controllers.show(list, now);
  counted('controllers', controllers, list.length);
  const cached = toldApart(section('informers', caches)?.informers ?? []);
  informers.show(cached, now);
  counted('informers', informers, cached.length);
  const answer = section('leader', election);
  const all = answer ? leases(answer) : [];
  leaseTable.show(all, now);
  const divided = shards(answer);
  showShardsPanel(divided);
  holderTable.show(holders(divided, all[0]?.identity), now);
  shardTable.show(divided, now);
  counted('shards', shardTable, divided.length);
  showHeader(all, divided);
  showVersions(now);
  showTiles(list, cached, divided);
  announceChanges(list, all);
}

function section(name, answer) {
  const refusal = answer instanceof Refusal ? answer : null;
  const note = byId(`${name}-note`);
  note.hidden = refusal === null;
  setText(note, refusal ? describe(refusal) : '');
  return refusal ? null : answer;
}

function counted(name, table, all) {
  setText(byId(`${name}-count`), table.shownCount === all ? count(all) : `${count(table.shownCount)} of ${count(all)}`);
}

function showTiles(list, cached, divided) {
  const total = (value) => list.reduce((sum, controller) => sum + value(controller), 0);
  const inState = (...states) => list.filter(({ state }) => states.includes(state)).length;
  const level = (number, name) => (number > 0 ? name : 'none');
  const failedNow = inState('FAILED');
  const waiting = inState('WAITING_FOR_TYPE', 'WAITING_FOR_CACHES');
  const failing = total(({ failing: keys }) => keys);
  const stuck = total((controller) => controller.stuck.length);
  const cacheTrouble = cached.filter((informer) => informerState(informer)[0] === 'bad').length;
  const known = list.map(({ name }) => rates.of(name)).filter((perSecond) => perSecond !== null);
  facts(byId('tiles'), [
    ['Running', `${count(inState('RUNNING'))}/${count(list.length - inState('DISABLED'))}`],
    ['Waiting', count(waiting), level(waiting, 'wait')],
    ['Failed', count(failedNow), level(failedNow, 'bad')],
    ['Reconciles/s', rate(known.length ? known.reduce((a, b) => a + b, 0) : null)],
    ['Workers busy', `${count(total((c) => c.activeWorkers))}/${count(total((c) => c.workers))}`],
    ['Queued', count(total(({ queueDepth }) => queueDepth))],
    ['Failing keys', count(failing), level(failing, 'bad')],
    ['Stuck', count(stuck), level(stuck, 'bad')],
    ['Cached objects', count(cached.reduce((sum, { objects }) => sum + objects, 0))],
    ['Size of caches', bytes(cached.reduce((sum, { approximateBytes }) => sum + approximateBytes, 0))],
    ['Caches in trouble', count(cacheTrouble), level(cacheTrouble, 'bad')],
    ...(divided.length
      ? [
        ['Shards here', `${count(held(divided))}/${count(divided.length)}`],
        ['Free shards', count(free(divided)), level(free(divided), 'bad')],
      ]
      : []),
  ]);
}

function showVersions(now) {
  if (!info) {
    return;
  }
  const { versions = {}, build = {} } = info;
  const pairs = [
    ['Application', build.version ?? versions.application],
    ['Controller Manager', versions.controllerManager],
    ['Kubernetes', versions.kubernetes],
    ['client-java', versions.clientJava],
    ['Spring Boot', versions.springBoot],
    ['Java', versions.java],
    ['Started', info.startedAt ? ago(new Date(info.startedAt), now) : null],
  ];
  facts(byId('versions'), pairs.filter(([, text]) => text));
}

/** Only what a person would want to be interrupted for. */
function announceChanges(list, all) {
  const nowFailed = new Set(list.filter(({ state }) => state === 'FAILED').map(({ name }) => name));
  if (failed) {
    const fresh = [...nowFailed].filter((name) => !failed.has(name));
    if (fresh.length) {
      announce(fresh.length > 3
        ? `${fresh.length} controllers have failed`
        : `Failed: ${fresh.join(', ')}`);
    }
  }
  failed = nowFailed;
  const nowLedAs = all.length ? badge(all)[1] : null;
  if (ledAs !== null && nowLedAs !== null && ledAs !== nowLedAs) {
    announce(`Leadership: ${nowLedAs}`);
  }
  ledAs = nowLedAs ?? ledAs;
}

function announce(text) {
  const line = document.createElement('p');
  line.textContent = text;
  // A few lines are kept, so that several at once are all read.
  byId('announcer').append(line);
  while (byId('announcer').childElementCount > 5) {
    byId('announcer').firstElementChild.remove();
  }
}

function connected() {
  if (lostAt) {
    announce('The connection is back');
    lostAt = null;
  }
  setAttribute(document.body, 'data-lost', null);
  setMarked(byId('connection'), 'good', `Updated ${timeOfDay(new Date())}`);
}

function lost(why) {
  if (!lostAt) {
    lostAt = new Date();
    announce('The connection is lost');
    rates.clear();
  }
  setAttribute(document.body, 'data-lost', '');
  setMarked(byId('connection'), 'bad', `Not reachable since ${timeOfDay(lostAt)} (${why}), retrying`);
}

/** Says what an answer means; returns after how many milliseconds to ask again, null for not by itself. */
function refused(error) {
  if (error.status === 401) {
    rates.clear();
    askForToken(hasToken() ? 'The token was not accepted: it is wrong, or its time is over.'
      : 'The server shows its state only to those who may see it.');
    return null;
  }
  if (error.status === 403) {
    byId('data').hidden = true;
    byId('refused').hidden = false;
    setText(byId('refused'), describe(error));
    if (hasToken()) {
      askForToken('The token is known, but what it stands for may not see this.');
    }
    setMarked(byId('connection'), 'bad', 'Forbidden');
    return LONGEST_PAUSE;
  }
  failures++;
  lost(error.status === 0 ? error.message : describe(error));
  return Math.min(LONGEST_PAUSE, INTERVAL * 2 ** Math.min(failures - 1, 4));
}

function describe({ path, status, message }) {
  const said = message ? `: ${message}` : '';
  switch (status) {
    case 403:
      return `Not allowed to get /${path.split('?')[0]}${said}`;
    case 404:
      return `/${path} is not exposed here (management.endpoints.web.exposure.include)`;
    default:
      return `/${path} answers ${status}${said}`;
  }
}

function askForToken(reason) {
  const form = byId('sign-in');
  byId('data').hidden = true;
  setText(byId('sign-in-reason'), reason);
  setText(byId('token-urls'), `${found.basePath}/*`);
  setMarked(byId('connection'), 'hold', 'A token is needed');
  if (form.hidden) {
    form.hidden = false;
    byId('token').focus();
  }
}

/** The first character that cannot be in a token, as is left by an editor that changes quotes; null if there is none. */
function foreign(token) {
  const found = token.match(/[^!-~]/u);
  return found && `U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0')} at position ${found.index + 1}`;
}

/** Endpoints on a port of their own are another origin, which browsers keep apart. */
function elsewhere() {
  byId('data').hidden = true;
  byId('refused').hidden = false;
  setText(byId('refused'), found.port < 0
    ? 'The actuator endpoints are switched off (management.server.port), so there is nothing to show.'
    : `The actuator endpoints have a port of their own, ${found.port}, which this page may not ask: look at ${
      found.basePath}/controllers there, or leave management.server.port unset.`);
  setMarked(byId('connection'), 'hold', 'Nothing to show');
}

byId('sign-in-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  byId('token').value = '';
  const strange = foreign(token);
  if (strange !== null) {
    askForToken(`Bearer token: it has ${strange}, which no token has, so it was not sent. Copy it once more.`);
    return;
  }
  useToken(token, byId('remember').checked);
  refresh();
});

byId('forget').addEventListener('click', () => {
  useToken(null, false);
  refresh();
});

for (const [name, table] of [['controllers', controllers], ['informers', informers], ['shards', shardTable]]) {
  byId(`${name}-filter`).addEventListener('input', (event) => {
    table.setFilter(event.target.value);
    counted(name, table, table.items.length);
  });
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    clearTimeout(timer);
    rates.clear();
    setMarked(byId('connection'), 'hold', 'Paused while not visible');
  } else {
    refresh();
  }
});

refresh();
