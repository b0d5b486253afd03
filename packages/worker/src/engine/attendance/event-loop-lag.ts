import * as hooks from 'node:perf_hooks';

/** How often the lag is sampled, in ms. */
const RESOLUTION_MS = 20;

/** Measures how late timers of this process fire. Other runtimes than Node may not have it; nothing is measured there. */
export class EventLoopLag {
  #delay: hooks.IntervalHistogram | undefined;

  /** Begins to measure. Keeps no process alive. */
  start(): void {
    try {
      this.#delay ??= hooks.monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#delay.enable();
    } catch {
      this.#delay = undefined; // a runtime without it
    }
  }

  stop(): void {
    this.#delay?.disable();
  }

  /** Returns what 99 of 100 samples since the last call were below, in ms; `undefined` without samples. Begins anew. */
  take(): number | undefined {
    const delay = this.#delay;
    if (delay === undefined) return undefined;
    const nanoseconds = delay.percentile(99);
    const hasSamples = delay.max > 0;
    delay.reset();
    if (!hasSamples || !Number.isFinite(nanoseconds)) return undefined;
    // The histogram has the whole interval between two timers, of which one resolution was asked for.
    return Math.max(0, Math.round(nanoseconds / 1e4) / 100 - RESOLUTION_MS);
  }
}
