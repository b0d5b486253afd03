import { describe, expect, it } from 'vitest';
import type { Arena, Scene } from './scene.ts';
import { SCENES } from './scenes.ts';

/**
 * Plays every scene. All arenas are held to the same literal attempts, delays, reasons and errors.
 *
 * @param time - whether the first wait is exact; on a real clock it may be longer
 */
export function describeScenes(
  name: string,
  time: 'virtual' | 'real',
  arena: () => Arena,
  scenes: readonly Scene[] = SCENES,
): void {
  describe(name, () => {
    it.each(scenes.map((scene) => [scene.name, scene] as const))('plays %s', async (_name, scene) => {
      const { ending, firstWaitMs } = await arena().play(scene);

      const waitMs = Number(scene.policy.initialDelay ?? 0);
      expect(ending).toEqual(scene.expected);
      if (time === 'virtual') expect(firstWaitMs).toBe(waitMs);
      else expect(firstWaitMs).toBeGreaterThanOrEqual(waitMs);
    });
  });
}
