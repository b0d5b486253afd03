import type { SqlClient } from '../driver/sql-client.ts';
import type { PostgresBrokerSettings } from '../options.ts';
import { channelOf } from '../schema/migrations.ts';
import { openSubscription } from './subscription.ts';

/** The content of a notification. */
export interface WorkNotification {
  /** Lanes that may have work now. */
  readonly ready: readonly string[];
  /** Lanes that have more in their schedule. */
  readonly later: readonly string[];
  /** Whether runs may have ended whose results a caller waits for. */
  readonly results: boolean;
}

/** The notifications of other processes that use the same schema. */
export interface Notifications {
  /** Subscribes, if that is wanted and possible. Returns whether notifications arrive. */
  readonly subscribe: () => Promise<boolean>;
  /** Sets what is called with each notification; `undefined` means that anything may have changed. */
  readonly onNotification: (listener: (notification: WorkNotification | undefined) => void) => void;
  readonly close: () => Promise<void>;
}

/** Returns the notifications that arrive by this client. */
export function openNotifications(
  client: SqlClient,
  { schema, listen }: Pick<PostgresBrokerSettings, 'schema' | 'listen'>,
): Notifications {
  let emit: (notification: WorkNotification | undefined) => void = () => {};
  const subscription = openSubscription(client, channelOf(schema), (message) => emit(read(message)));
  return {
    subscribe: async () => listen && subscription.start(),
    onNotification: (listener) => {
      emit = listener;
    },
    close: () => subscription.close(),
  };
}

/** Reads a message; `undefined` for one that this package has not sent: any role that may connect can write to the channel. */
function read(message: string): WorkNotification | undefined {
  const parsed = parse(message);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { ready, later, results } = parsed as { readonly [Key in keyof WorkNotification]?: unknown }; // any object has keys
  if (!isNames(ready ?? []) || !isNames(later ?? []) || typeof results !== 'boolean') return undefined;
  return { ready: ready ?? [], later: later ?? [], results } as WorkNotification; // checked just now
}

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
