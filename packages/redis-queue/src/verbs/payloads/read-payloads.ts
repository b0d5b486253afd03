import { APART_TEXTS } from '../../record/layout.ts';
import type { Store } from '../../store/store.ts';

/**
 * Reads payloads that are kept apart by a plain command: in a script each of them would be copied and hashed several times. Those
 * that were forgotten meanwhile are missing.
 */
export async function readPayloads(
  { link, keys }: Pick<Store, 'link' | 'keys'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const fields = ids.map((id) => APART_TEXTS.payload + id);
  const texts = await link.send(keys.of.body, ['HMGET', keys.of.large, ...fields]);
  const payloads = new Map<string, string>();
  for (const [index, text] of (texts as readonly (string | null)[]).entries())
    if (text !== null) payloads.set(ids[index] ?? '', text);
  return payloads;
}
