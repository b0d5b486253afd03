import { type Signal, signal } from '@preact/signals-core';
import { type Context, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { RightsAnswer } from '../../api.ts';
import { type Client, createClient } from '../api/client.ts';

/** What every screen has. */
export interface Session {
  readonly client: Client;
  readonly visitor: RightsAnswer;
  /** Whether live figures stand still. */
  readonly isPaused: Signal<boolean>;
  /** Whether each stream is open; none while the screen has none, or is paused or hidden. */
  readonly streams: Signal<ReadonlyMap<symbol, boolean>>;
}

const SessionContext: Context<Session | undefined> = createContext<Session | undefined>(undefined);

/** Gives a session to the components inside. */
export const SessionProvider: typeof SessionContext.Provider = SessionContext.Provider;

/** The session of the board. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('outside of a SessionProvider');
  return session;
}

/** Asks the server who the visitor is. */
export async function openSession(basePath: string): Promise<Session> {
  const client = createClient(basePath);
  const visitor = await client.get('rights');
  return {
    client,
    visitor,
    isPaused: signal(false),
    streams: signal<ReadonlyMap<symbol, boolean>>(new Map()),
  };
}

/** Notes whether a stream is open. @param isOpen - `undefined`: it was ended */
export function noteStream({ streams }: Session, id: symbol, isOpen: boolean | undefined): void {
  const others = [...streams.value].filter(([other]) => other !== id);
  streams.value = new Map(isOpen === undefined ? others : [...others, [id, isOpen]]);
}

/** Whether all streams are open; `undefined` while there is none. */
export function isLive({ streams }: Session): boolean | undefined {
  return streams.value.size === 0 ? undefined : [...streams.value.values()].every(Boolean);
}
