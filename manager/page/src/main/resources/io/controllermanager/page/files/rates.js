/** Rates of counters that only grow: over the last few answers, so that one number does not jump with each. */

const KEPT = 8;

export class Rates {

  constructor() {
    this.samples = new Map();
  }

  /** Takes the counters of all controllers; a counter that is smaller than before was begun anew, and so is its rate. */
  add(controllers, millis) {
    const next = new Map();
    for (const { name, reconciles } of controllers) {
      let samples = this.samples.get(name) ?? [];
      if (samples.length && reconciles < samples[samples.length - 1].reconciles) {
        samples = [];
      }
      samples.push({ millis, reconciles });
      if (samples.length > KEPT) {
        samples.shift();
      }
      next.set(name, samples);
    }
    this.samples = next;
  }

  /** Forgets what came before a time in which nobody asked. */
  clear() {
    this.samples.clear();
  }

  /** Per second; null before there are two answers. */
  of(name) {
    const samples = this.samples.get(name);
    if (!samples || samples.length < 2) {
      return null;
    }
    const first = samples[0];
    const last = samples[samples.length - 1];
    return 1000 * (last.reconciles - first.reconciles) / Math.max(1, last.millis - first.millis);
  }
}
