import { isNight } from '../support/some-tests.ts';
import type { OpenStage } from '../support/stage.ts';
import { jobbers, playedKinds } from './jobbers.ts';
import { scenesOn } from './jobbers-scene.ts';
import { planCases } from './plan.ts';
import { testCase } from './test-case.ts';
import { readVectors, vectorFolder } from './vectors.ts';

/** Defines a test for each vector that a worker runs on a broker, or for each n-th one: the lifecycle, from submission to end. */
export function testPlayedCases(openStage: OpenStage, { everyNth = 1 } = {}): void {
  const runners = playedKinds(scenesOn(openStage));
  const { system, versions } = jobbers;
  const files = readVectors(vectorFolder).filter((file) => file.system === system);
  const cases = files.flatMap((file) => file.cases).filter(({ kind }) => Object.hasOwn(runners, kind));
  const played = cases.filter((_, index) => isNight() || index % everyNth === 0);
  for (const planned of planCases({ system, cases: played }, [{ system, versions, runners }]))
    testCase(planned);
}
