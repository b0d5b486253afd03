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
}

/** What happens with what is new, and how often it is read. */
export interface ReadingHooks {
  readonly changed: (topic: string, event: string) => void;
  /** How long after one read the next one begins. */
  readonly everyMs: number;
}

interface Reading {
  readonly read: () => Promise<string>;
  latest?: string;
  timer?: ReturnType<typeof setTimeout>;
}

/** Creates the readings of a board. */
export function createReadings({ changed, everyMs }: ReadingHooks): Readings {
  const readings = new Map<string, Reading>();
  const readOn = async (topic: string, reading: Reading): Promise<void> => {
    const event = await reading.read();
    if (readings.get(topic) !== reading) return;
    if (event !== reading.latest) changed(topic, event);
    reading.latest = event;
    reading.timer = setTimeout(() => void readOn(topic, reading), everyMs);
  };
  return {
    begin: (topic, read) => {
      const known = readings.get(topic);
      if (known !== undefined) return known.latest;
      const reading: Reading = { read };
      readings.set(topic, reading);
      void readOn(topic, reading);
      return undefined;
    },
    end: (topic) => {
      clearTimeout(readings.get(topic)?.timer);
      readings.delete(topic);
    },
  };
}
