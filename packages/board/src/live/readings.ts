/** Reads topics again and again, each for all listeners together. */
export interface Readings {
  /**
   * Begins to read a topic, unless it is read already.
   *
   * @param read - never rejects
   * @returns the latest event, if there is one
   */
  readonly begin: (topic: string, read: () => Promise<string>) => string | undefined;
  readonly end: (topic: string) => void;
  /** Reads nothing any more. */
  readonly close: () => void;
}

/** What happens with what is new, and how often it is read. */
export interface ReadingHooks {
  readonly changed: (topic: string, event: string) => void;
  /** How long after one read of a topic the next one begins, at least. */
  readonly everyMs: number;
  /** How long after the end of one read of any topic the next one begins, at least. */
  readonly gapMs: number;
}

interface Reading {
  readonly topic: string;
  readonly read: () => Promise<string>;
  /** A topic that is not wanted any more is kept until it would be read again: who comes back reads it no earlier. */
  isWanted: boolean;
  latest?: string;
  timer?: ReturnType<typeof setTimeout>;
}

/** Creates the readings of a board. */
export function createReadings({ changed, everyMs, gapMs }: ReadingHooks): Readings {
  const readings = new Map<string, Reading>();
  const readOn = async (reading: Reading): Promise<void> => {
    const { topic, read, isWanted, latest } = reading;
    if (!isWanted) return void readings.delete(topic);
    const event = await read();
    if (readings.get(topic) !== reading) return;
    reading.latest = event;
    reading.timer = setTimeout(due.add, everyMs, reading);
    if (event !== latest) changed(topic, event);
  };
  const due = createDue(readOn, gapMs);
  return {
    begin: (topic, read) => {
      const known = readings.get(topic);
      const reading: Reading = known ?? { topic, read, isWanted: true };
      reading.isWanted = true;
      readings.set(topic, reading);
      if (known === undefined) due.add(reading);
      return known?.latest;
    },
    end: (topic) => {
      const reading = readings.get(topic);
      if (reading !== undefined) reading.isWanted = false;
    },
    close: () => {
      due.clear();
      for (const { timer } of readings.values()) clearTimeout(timer);
      readings.clear();
    },
  };
}

/** What is due, in the order in which it has become so. */
interface Due {
  readonly add: (reading: Reading) => void;
  readonly clear: () => void;
}

/** Calls back for what is due, one after the other: the next call begins `gapMs` after the end of the one before. */
function createDue(call: (reading: Reading) => Promise<void>, gapMs: number): Due {
  const waiting = new Set<Reading>();
  let isCalling = false;
  let gap: ReturnType<typeof setTimeout> | undefined;
  const next = async (): Promise<void> => {
    gap = undefined;
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    isCalling = true;
    await call(first);
    isCalling = false;
    gap = setTimeout(next, gapMs);
  };
  return {
    add: (reading) => {
      waiting.add(reading);
      if (!isCalling && gap === undefined) void next();
    },
    clear: () => {
      clearTimeout(gap);
      waiting.clear();
    },
  };
}
