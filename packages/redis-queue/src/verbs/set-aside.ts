import { setAsideScript } from '../scripts/set-aside.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Makes dead letters of started runs that could not be read: claims would meet them again and again. */
export async function setAside(store: Store, ids: readonly string[]): Promise<void> {
  await runScript(store, setAsideScript, [...store.retention, pack(ids), 'its body or its record']);
}
