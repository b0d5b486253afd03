import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveAnswer, LivePath } from '../../api.ts';
import { noteStream, type Session, useSession } from '../shell/session.ts';
import type { Client, Where } from './client.ts';

/** What a screen waits for, has, or cannot get. */
export interface Loaded<Data> {
  readonly data?: Data;
  /** Data that was loaded before stays beside it. */
  readonly problem?: string;
}

/** What a screen has, and how it asks anew. */
interface Reloaded<Data> extends Loaded<Data> {
  readonly reload: () => void;
}

/** Something that was found, and what it belongs to. */
interface Found<Data> extends Loaded<Data> {
  readonly key?: string;
}

/** Loads once, and again whenever `key` changes or `reload` is called. */
export function useLoaded<Data extends object>(
  key: string,
  load: (client: Client) => Promise<Data>,
): Reloaded<Data> {
  const { client } = useSession();
  const [found, setFound] = useState<Found<Data>>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isWanted = true;
    load(client).then(
      (data) => {
        if (isWanted) setFound({ data, key });
      },
      (error: Error) => isWanted && setFound((old) => withProblem(old, key, error.message)),
    );
    return () => {
      isWanted = false;
    };
  }, [key, turn]);
  return { ...(found.key === key ? found : {}), reload: () => setTurn((before) => before + 1) };
}

/** Loads the answer of a route, and then follows its stream while the page is seen and not paused. */
export function useLive<Path extends LivePath>(path: Path, where: Where = {}): Reloaded<LiveAnswer<Path>> {
  const session = useSession();
  const key = session.client.topicOf(path, where);
  const [streamed, setStreamed] = useState<Found<LiveAnswer<Path>>>({});
  const events = useRef(0);
  const loaded = useLoaded(key, async (client) => {
    const before = events.current;
    const get = client.get as (path: Path, where: Where) => Promise<LiveAnswer<Path>>; // the route of this path
    const data = await get(path, where);
    // An event that has come meanwhile is newer.
    if (events.current === before) setStreamed({});
    return data;
  });
  const isPaused = session.isPaused.value;
  useEffect(() => {
    if (isPaused) return undefined;
    const show = (data: LiveAnswer<Path>): void => {
      events.current += 1;
      setStreamed({ data, key });
    };
    const fail = (problem: string): void => setStreamed((old) => withProblem(old, key, problem));
    return whileSeen(() => follow(session, key, { show, fail }));
  }, [key, isPaused, session]);
  if (streamed.key !== key) return loaded;
  const { data, reload } = loaded;
  return { ...(data !== undefined && { data }), ...streamed, reload };
}

function withProblem<Data>(old: Found<Data>, key: string, problem: string): Found<Data> {
  return { ...(old.key === key ? old : {}), problem, key };
}

interface Listener<Data> {
  readonly show: (data: Data) => void;
  readonly fail: (problem: string) => void;
}

/**
 * Opens the stream of a topic; returns what closes it. The browser opens a broken one again by itself, but not one that was
 * refused, as by a proxy whose server is away: that is done here.
 */
function follow<Data>(session: Session, topic: string, listener: Listener<Data>): () => void {
  const id = Symbol(topic);
  let refusals = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): EventSource => {
    const source = openStream(session, topic, listener);
    source.addEventListener('open', () => {
      refusals = 0;
      noteStream(session, id, true);
    });
    source.addEventListener('error', () => {
      noteStream(session, id, false);
      if (source.readyState !== EventSource.CLOSED) return;
      refusals += 1;
      timer = setTimeout(() => {
        current = open();
      }, pauseAfter(refusals));
    });
    return source;
  };
  let current = open();
  return () => {
    clearTimeout(timer);
    current.close();
    noteStream(session, id, undefined);
  };
}

function openStream<Data>({ client }: Session, topic: string, { show, fail }: Listener<Data>): EventSource {
  const source = new EventSource(client.eventsUrl(topic));
  source.addEventListener(topic, ({ data }: MessageEvent<string>) => show(JSON.parse(data)));
  source.addEventListener('failed', ({ data }: MessageEvent<string>) => fail(JSON.parse(data).error.message));
  return source;
}

const MAX_PAUSE_MS = 30_000;

/** At least half of 2 s, 4 s, 8 s, … @returns milliseconds, ≤ 30 000 */
function pauseAfter(refusals: number): number {
  return Math.min(1_000 * 2 ** refusals, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
}

/** Runs `start` while the page is visible. */
function whileSeen(start: () => () => void): () => void {
  let stop: (() => void) | undefined;
  const change = (): void => {
    stop?.();
    stop = document.visibilityState === 'visible' ? start() : undefined;
  };
  change();
  document.addEventListener('visibilitychange', change);
  return () => {
    stop?.();
    document.removeEventListener('visibilitychange', change);
  };
}
