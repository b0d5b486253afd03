import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage, or among young objects only. */
export const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void; // the flag's own function

/** Bytes of objects that outlived two collections of young objects, those that nothing needs any longer among them. */
export function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}
