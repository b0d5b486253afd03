import type { ErrorLog } from '../access/error-log.ts';
import { isKnown, refusalOf } from '../errors.ts';
import type { Desk } from '../routes/call.ts';
import type { Listener } from './event-stream.ts';
import { createEventStream } from './event-stream.ts';
import { createReadings } from './readings.ts';
import type { Reading } from './topics.ts';
import { readingOf } from './topics.ts';

/** Sends figures to every page that listens, as they change. */
export interface Live {
  /** Returns a stream of server-sent events of these topics; of the first eight, and of none that cannot be read. */
  readonly open: (topics: readonly string[]) => ReadableStream<Uint8Array>;
  /** Ends every stream. */
  readonly close: () => void;
}

const READ_EVERY_MS = 1_000;

/** The most topics of a stream: a page has one or two. */
const MAX_TOPICS = 8;

/** What topics are read from, and who gets to know what fails. */
interface Sources {
  readonly desk: Desk;
  readonly errors: ErrorLog;
}

/** Creates the streams of a board. Nothing is read while no page listens. */
export function createLive(desk: Desk, errors: ErrorLog): Live {
  const listeners = new Map<Listener, ReadonlyMap<string, Reading>>();
  const listening = (topic: string): readonly Listener[] =>
    [...listeners].filter(([, topics]) => topics.has(topic)).map(([listener]) => listener);
  const readings = createReadings({
    changed: (topic, event) => {
      for (const { send } of listening(topic)) send(topic, event);
    },
    everyMs: READ_EVERY_MS,
  });
  let isClosed = false;
  const join = (listener: Listener, topics: ReadonlyMap<string, Reading>): void => {
    listeners.set(listener, topics);
    for (const [topic, read] of topics) {
      const latest = readings.begin(topic, () => eventOf({ desk, errors }, topic, read));
      if (latest !== undefined) listener.send(topic, latest);
    }
  };
  const leave = (listener: Listener): void => {
    const topics = listeners.get(listener) ?? new Map<string, Reading>();
    listeners.delete(listener);
    for (const topic of topics.keys()) if (listening(topic).length === 0) readings.end(topic);
  };
  return {
    open: (topics) =>
      createEventStream({
        // The board may have been closed while its visitor was looked up.
        joined: (listener) => (isClosed ? listener.end() : join(listener, asked(topics))),
        left: leave,
      }),
    close: () => {
      isClosed = true;
      for (const { end } of listeners.keys()) end();
    },
  };
}

/** The topics that a page asks for, and how each is read. */
function asked(topics: readonly string[]): ReadonlyMap<string, Reading> {
  const known = topics.flatMap((topic) => {
    const read = readingOf(topic);
    return read === undefined ? [] : [[topic, read] as const];
  });
  return new Map([...new Map(known)].slice(0, MAX_TOPICS));
}

async function eventOf({ desk, errors }: Sources, topic: string, read: Reading): Promise<string> {
  try {
    return writeEvent(topic, await read(desk));
  } catch (error) {
    if (!isKnown(error)) errors.report(error, `reading ${topic}`);
    return writeEvent('failed', { ...refusalOf(error).answer, topic });
  }
}

function writeEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
