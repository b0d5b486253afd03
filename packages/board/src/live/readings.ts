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

/** How often topics are read. */
interface ReadingTimes {
  /** How long after one read of a topic the next one begins, at least. */
  readonly everyMs: number;
  /** How long after the end of one read of any topic the next one begins, at least. */
  readonly gapMs: number;
  /** How long others wait for a read that does not end: from then on it keeps its own topic waiting alone. */
  readonly patienceMs: number;
}

/** What happens with what is new, and how often it is read. */
interface ReadingHooks extends ReadingTimes {
  readonly changed: (topic: string, event: string) => void;
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
export function createReadings({ changed, ...times }: ReadingHooks): Readings {
  const readings = new Map<string, Reading>();
  const readOn = async (reading: Reading): Promise<void> => {
    const { topic, read, isWanted, latest } = reading;
    if (!isWanted) return void readings.delete(topic);
    const event = await read();
    if (readings.get(topic) !== reading) return;
    reading.latest = event;
    reading.timer = setTimeout(due.add, times.everyMs, reading);
    if (event !== latest) changed(topic, event);
  };
  const due = createDue(readOn, times);
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

/**
 * Calls back for what is due, one after the other: the next call begins `gapMs` after the end of the one before, or `patienceMs` after its
 * beginning where that does not end.
 */
function createDue(call: (reading: Reading) => Promise<void>, { gapMs, patienceMs }: ReadingTimes): Due {
  const waiting = new Set<Reading>();
  let turn: ReturnType<typeof setTimeout> | undefined;
  const next = (): void => {
    turn = undefined;
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    const own = setTimeout(next, patienceMs);
    turn = own;
    void call(first).then(() => {
      if (turn !== own) return;
      clearTimeout(own);
      turn = setTimeout(next, gapMs);
    });
  };
  return {
    add: (reading) => {
      waiting.add(reading);
      if (turn === undefined) next();
    },
    clear: () => {
      clearTimeout(turn);
      turn = undefined;
      waiting.clear();
    },
  };
}
