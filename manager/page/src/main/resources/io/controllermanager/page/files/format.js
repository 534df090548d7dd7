/** Turns what the endpoints say into text for people, in their language and time zone. Pure functions. */

const DURATION = /^(-)?P(?:(\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?)?$/;

const whole = new Intl.NumberFormat();
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dateAndClock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'short' });

/** What stands where there is nothing to say. */
export const NOTHING = '–';

export const count = (number) => whole.format(number);

/** The seconds of an ISO 8601 duration such as PT1M2.5S; null for anything else. */
export function seconds(duration) {
  const parts = typeof duration === 'string' ? DURATION.exec(duration) : null;
  if (!parts) {
    return null;
  }
  const [, minus, days, hours, minutes, rest] = parts;
  const sum = 86400 * (days ?? 0) + 3600 * (hours ?? 0) + 60 * (minutes ?? 0) + Number(rest ?? 0);
  return minus ? -sum : sum;
}

export function span(secs) {
  if (secs === null || secs === undefined) {
    return NOTHING;
  }
  if (secs === 0) {
    return '0 s';
  }
  if (secs < 1) {
    return `${twoDigits.format(secs * 1000)} ms`;
  }
  if (secs < 10) {
    return `${oneDigit.format(secs)} s`;
  }
  if (secs < 120) {
    return `${Math.floor(secs)} s`;
  }
  if (secs < 7200) {
    return `${Math.floor(secs / 60)} min`;
  }
  if (secs < 172800) {
    return `${Math.floor(secs / 3600)} h`;
  }
  return `${Math.floor(secs / 86400)} d`;
}

export function rate(perSecond) {
  if (perSecond === null) {
    return NOTHING;
  }
  return perSecond >= 100 ? whole.format(Math.round(perSecond)) : twoDigits.format(perSecond);
}

export function bytes(number) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = number;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? whole.format(Math.round(value)) : oneDigit.format(value)} ${units[unit]}`;
}

export const timeOfDay = (date) => clock.format(date);

export const dateTime = (date) => dateAndClock.format(date);

/** How long ago, such as "3 min ago". */
export function ago(date, now) {
  const secs = Math.max(0, (now - date) / 1000);
  if (secs < 60) {
    return relative.format(-Math.floor(secs), 'second');
  }
  if (secs < 3600) {
    return relative.format(-Math.floor(secs / 60), 'minute');
  }
  if (secs < 86400) {
    return relative.format(-Math.floor(secs / 3600), 'hour');
  }
  return relative.format(-Math.floor(secs / 86400), 'day');
}

/** A state such as WAITING_FOR_CACHES in words. */
export function words(constant) {
  const text = String(constant).toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
