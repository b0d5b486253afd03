import { type Signal, signal } from '@preact/signals-core';
import { type Context, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { RightsAnswer } from '../../api.ts';
import { type Client, createClient } from '../api/client.ts';

/** What every screen has. */
export interface Session {
  readonly client: Client;
  readonly visitor: RightsAnswer;
  readonly createWorker: () => Worker;
  /** Whether live figures stand still. */
  readonly isPaused: Signal<boolean>;
  /** Whether the stream is open; undefined while there is none: the screen has none, or it is paused or hidden. */
  readonly isConnected: Signal<boolean | undefined>;
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
export async function openSession(basePath: string, createWorker: () => Worker): Promise<Session> {
  const client = createClient(basePath);
  const visitor = await client.get('rights');
  return {
    client,
    visitor,
    createWorker,
    isPaused: signal(false),
    isConnected: signal<boolean | undefined>(undefined),
  };
}
