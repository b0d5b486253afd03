import { quarantineScript } from '../scripts/lua-code.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Makes dead letters of started runs that could not be read, so that no claim gets them again. */
export async function quarantine(store: Store, ids: readonly string[]): Promise<void> {
  await runScript(store, quarantineScript, [...store.retention, pack(ids), 'its body or its record']);
}
