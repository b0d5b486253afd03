import { useEffect, useState } from 'preact/hooks';
import type { Topic, Topics } from '../../api.ts';
import { type Session, useSession } from '../shell/session.ts';
import type { Client } from './client.ts';

/** What a screen waits for, has, or cannot get. */
export interface Loaded<Data> {
  readonly data?: Data;
  /** Data that was loaded before stays beside it. */
  readonly problem?: string;
}

/** Screens without a stream are read again this often. */
const REPEAT_MS = 5_000;

/** Loads once, and again whenever `key` changes, `reload` is called or, if it is repeated, every 5 s while the page is seen. */
export function useLoaded<Data>(
  key: string,
  load: (client: Client) => Promise<Data>,
  { isRepeated = false }: { readonly isRepeated?: boolean } = {},
): Loaded<Data> & { readonly reload: () => void } {
  const session = useSession();
  const [found, setFound] = useState<Loaded<Data> & { key?: string }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isWanted = true;
    load(session.client).then(
      (data) => isWanted && setFound({ data, key }),
      (error: Error) => isWanted && setFound((old) => ({ ...old, problem: error.message, key })),
    );
    return () => {
      isWanted = false;
    };
  }, [key, turn]);
  const isPaused = session.isPaused.value;
  useEffect(() => {
    if (!isRepeated || isPaused) return undefined;
    return whileSeen(() => repeat(session, () => setTurn((before) => before + 1)));
  }, [key, isRepeated, isPaused]);
  const current = found.key === key ? found : {};
  return { ...current, reload: () => setTurn((before) => before + 1) };
}

function repeat({ isConnected }: Session, load: () => void): () => void {
  const timer = setInterval(load, REPEAT_MS);
  isConnected.value = true;
  return () => {
    clearInterval(timer);
    isConnected.value = undefined;
  };
}

/** Loads a topic, and then follows its stream while the page is seen and not paused. */
export function useLive<Name extends Topic>(topic: Name): Loaded<Topics[Name]> {
  const session = useSession();
  const [found, setFound] = useState<Loaded<Topics[Name]>>({});
  const isPaused = session.isPaused.value;
  useEffect(() => {
    const fail = (problem: string): void => setFound((old) => ({ ...old, problem }));
    const client = session.client as { get(path: string): Promise<Topics[Name]> }; // the route of the topic's name
    client.get(topic).then(
      (data) => setFound({ data }),
      (error: Error) => fail(error.message),
    );
    if (isPaused) return undefined;
    return whileSeen(() =>
      follow(session, topic, { show: (data: Topics[Name]) => setFound({ data }), fail }),
    );
  }, [topic, isPaused, session]);
  return found;
}

interface Listener<Data> {
  readonly show: (data: Data) => void;
  readonly fail: (problem: string) => void;
}

/** Opens the stream of a topic; returns what closes it. The browser opens a broken stream again by itself. */
function follow<Data>({ client, isConnected }: Session, topic: string, listener: Listener<Data>): () => void {
  const source = new EventSource(client.eventsUrl(topic));
  source.addEventListener('open', () => {
    isConnected.value = true;
  });
  source.addEventListener('error', () => {
    isConnected.value = false;
  });
  source.addEventListener(topic, ({ data }: MessageEvent<string>) => listener.show(JSON.parse(data)));
  source.addEventListener('failed', ({ data }: MessageEvent<string>) => {
    listener.fail(JSON.parse(data).error.message);
  });
  return () => {
    isConnected.value = undefined;
    source.close();
  };
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
