import type { ErrorLog } from '../access/error-log.ts';
import { BoardError, isKnown, refusalOf } from '../errors.ts';
import type { Desk } from '../routes/call.ts';
import type { Listener } from './event-stream.ts';
import { createEventStream } from './event-stream.ts';
import { createReadings } from './readings.ts';
import type { Reading } from './topics.ts';
import { readingOf } from './topics.ts';

/** Sends figures to every page that listens, as they change. */
export interface Live {
  /**
   * Returns a stream of server-sent events of these topics; of the first eight, and of none that cannot be read.
   *
   * @param by - who the visitor is
   * @throws {BoardError} `TOO_MANY_REQUESTS`
   */
  readonly open: (topics: readonly string[], by: string | undefined) => ReadableStream<Uint8Array>;
  /** Ends every stream. */
  readonly close: () => void;
}

/** However many topics visitors listen to, one is read at a time, 40 a second at most, and each once a second at most. */
const TIMES = { everyMs: 1_000, gapMs: 25, patienceMs: 1_000 };

/** The most streams of one visitor, and of all: each tab that is seen has one or two. */
const MAX_STREAMS_OF_VISITOR = 20;
const MAX_STREAMS = 200;

/** The most topics of a stream: a page has one or two. */
const MAX_TOPICS = 8;

/** What topics are read from, and who gets to know what fails. */
interface Sources {
  readonly desk: Desk;
  readonly errors: ErrorLog;
}

/** Creates the streams of a board. Nothing is read while no page listens. */
export function createLive(desk: Desk, errors: ErrorLog): Live {
  const listeners = new Map<Listener, Listening>();
  const changed = (topic: string, event: string): void => {
    for (const { send } of listenersTo(topic, listeners)) send(topic, event);
  };
  const readings = createReadings({ changed, ...TIMES });
  let isClosed = false;
  const join = (listener: Listener, listening: Listening): void => {
    listeners.set(listener, listening);
    for (const [topic, read] of listening.topics) {
      const latest = readings.begin(topic, () => eventOf({ desk, errors }, topic, read));
      if (latest !== undefined) listener.send(topic, latest);
    }
  };
  const left = (listener: Listener): void => {
    const topics = listeners.get(listener)?.topics.keys() ?? [];
    listeners.delete(listener);
    for (const topic of topics) if (listenersTo(topic, listeners).length === 0) readings.end(topic);
  };
  return {
    open: (asked, by) => {
      checkRoom([...listeners.values()], by);
      // The board may have been closed while its visitor was looked up.
      const joined = (each: Listener): void =>
        isClosed ? each.end() : join(each, { by, topics: topicsOf(asked) });
      return createEventStream({ joined, left });
    },
    close: () => {
      isClosed = true;
      for (const { end } of listeners.keys()) end();
      readings.close();
    },
  };
}

/** Whose stream it is, and of what. */
interface Listening {
  readonly by: string | undefined;
  readonly topics: ReadonlyMap<string, Reading>;
}

function listenersTo(topic: string, listeners: ReadonlyMap<Listener, Listening>): readonly Listener[] {
  return [...listeners].filter(([, { topics }]) => topics.has(topic)).map(([listener]) => listener);
}

/** @throws {BoardError} `TOO_MANY_REQUESTS` where all streams, or those of a visitor who has a name, are taken */
function checkRoom(open: readonly Listening[], by: string | undefined): void {
  const own = by === undefined ? 0 : open.filter((each) => each.by === by).length;
  if (open.length < MAX_STREAMS && own < MAX_STREAMS_OF_VISITOR) return;
  const taken =
    own >= MAX_STREAMS_OF_VISITOR ? `you have ${own} streams of events` : `${open.length} streams are`;
  throw new BoardError('TOO_MANY_REQUESTS', `${taken} open. Close other tabs of the board.`);
}

/** The topics that a page asks for, and how each is read. */
function topicsOf(topics: readonly string[]): ReadonlyMap<string, Reading> {
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
