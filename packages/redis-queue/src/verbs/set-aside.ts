import { pack } from '../pack.ts';
import { setAsideScript } from '../scripts/ended-runs.ts';
import type { Store } from '../store.ts';
import { runScript } from '../store.ts';

/** Makes dead letters of started runs that could not be read: claims would meet them again and again. */
export async function setAside(store: Store, ids: readonly string[]): Promise<void> {
  await runScript(store, setAsideScript, [...store.retention, pack(ids), 'its body or its record']);
}
