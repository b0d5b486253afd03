/** Reads topics again and again, each for all listeners together. */
export interface Readings<Topic> {
  /** Begins to read a topic, unless it is read already. @returns the latest event, if there is one */
  readonly begin: (topic: Topic) => string | undefined;
  readonly end: (topic: Topic) => void;
}

/** How a topic is read, and what happens with what is new. */
export interface ReadingHooks<Topic> {
  /** Never rejects. */
  readonly read: (topic: Topic) => Promise<string>;
  readonly changed: (topic: Topic, event: string) => void;
  /** How long after one read the next one begins. */
  readonly everyMs: number;
}

interface Reading {
  latest?: string;
  timer?: ReturnType<typeof setTimeout>;
}

/** Creates the readings of a board. */
export function createReadings<Topic>({ read, changed, everyMs }: ReadingHooks<Topic>): Readings<Topic> {
  const readings = new Map<Topic, Reading>();
  const readOn = async (topic: Topic, reading: Reading): Promise<void> => {
    const event = await read(topic);
    if (readings.get(topic) !== reading) return;
    if (event !== reading.latest) changed(topic, event);
    reading.latest = event;
    reading.timer = setTimeout(() => void readOn(topic, reading), everyMs);
  };
  return {
    begin: (topic) => {
      const known = readings.get(topic);
      if (known !== undefined) return known.latest;
      const reading: Reading = {};
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
