import type { Insight } from '@retry/core/broker';
import type { CaseScene } from '../case-scene.ts';

/** The insight of the scene's broker, which a case that requires `insight` may use. */
export function insightOf({ broker }: CaseScene): Insight {
  if (broker.insight === undefined) throw new Error('the broker has no insight');
  return broker.insight;
}
