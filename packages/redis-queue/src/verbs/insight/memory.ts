import type { ServerMemory } from '@retry/core/broker';
import type { KeyName } from '../../store/keys.ts';
import type { Store } from '../../store/store.ts';

/** The keys that grow with what is kept; those of lanes have only ids. */
const LARGE_KEYS: readonly KeyName[] = [
  ...(['body', 'record', 'stacks', 'large', 'finished', 'dead', 'grouped', 'scheduled', 'names'] as const),
  ...(['behind', 'behind-by-lane'] as const),
];

/** Returns how full the server of the partition is; `undefined` where it has no `maxmemory`. */
export async function readMemory({ link, keys }: Store): Promise<ServerMemory | undefined> {
  const info = String(await link.ask(keys.of.body, ['INFO', 'memory']));
  const maxBytes = numberIn(info, 'maxmemory');
  if (maxBytes === 0) return undefined;
  // A user may have no right to ask; what is wanted most is known without it.
  const own = await Promise.all(
    LARGE_KEYS.map((name) => link.send(keys.of[name], ['MEMORY', 'USAGE', keys.of[name]])),
  ).catch(() => undefined);
  const ownBytes = own?.reduce<number>((sum, bytes) => sum + (Number(bytes) || 0), 0);
  return { usedBytes: numberIn(info, 'used_memory'), maxBytes, ownBytes };
}

function numberIn(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
