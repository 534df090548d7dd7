/** Asks the endpoints, with the token that was entered if there is one. */

const TOKEN = 'controller-manager-token';
const LONGEST_REQUEST = 10_000;

let token = readRemembered();
let base = 'actuator/';

/** The last answer of each path that came with an ETag; in memory alone, as all that is shown. */
const known = new Map();

/** An answer other than 200, or none: then the status is 0. */
export class Refusal extends Error {
  constructor(path, status, message) {
    super(message);
    this.path = path;
    this.status = status;
  }
}

function readRemembered() {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null;
  }
}

export const hasToken = () => token !== null;

/** Kept in memory, and beyond a reload only if it is to be remembered; never beyond the tab. */
export function useToken(value, remember) {
  token = value;
  known.clear();
  try {
    if (remember && value !== null) {
      sessionStorage.setItem(TOKEN, value);
    } else {
      sessionStorage.removeItem(TOKEN);
    }
  } catch {
    // Without storage it is in memory only.
  }
}

/** Learns where the endpoints are. */
export async function findEndpoints() {
  const config = await request('page/config.json');
  base = config.url;
  return config;
}

export const get = (path) => request(base + path);

async function request(path) {
  const headers = { Accept: 'application/json' };
  const asked = token;
  if (token !== null) {
    headers.Authorization = `Bearer ${token}`;
  }
  const last = known.get(path);
  if (last) {
    headers['If-None-Match'] = last.etag;
  }
  let answer;
  try {
    answer = await fetch(path, {
      headers,
      cache: 'no-store',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(LONGEST_REQUEST),
    });
    if (answer.status === 304) {
      return last.body;
    }
    if (answer.ok) {
      const body = await answer.json();
      if (token === asked) {
        remember(path, answer.headers.get('ETag'), body);
      }
      return body;
    }
  } catch (error) {
    throw new Refusal(path, 0, error.name === 'TimeoutError' ? 'no answer in 10 s' : 'no connection');
  }
  throw new Refusal(path, answer.status, await reason(answer));
}

function remember(path, etag, body) {
  if (etag === null) {
    known.delete(path);
  } else {
    known.set(path, { etag, body });
  }
}

/** What the server says about its refusal, in one line. */
async function reason(answer) {
  let text = '';
  try {
    text = await answer.text();
    const body = JSON.parse(text);
    text = body.detail ?? body.message ?? body.error ?? text;
  } catch {
    // Not JSON: as it is.
  }
  return String(text).trim().replace(/\s+/g, ' ').slice(0, 300);
}
