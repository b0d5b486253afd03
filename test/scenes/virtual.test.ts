import { inMemory, inProcess } from './arenas.ts';
import { describeScenes } from './describe-scenes.ts';
import { WRITTEN_SCENES } from './scenes.ts';

describeScenes('in process', 'virtual', () => inProcess);

describeScenes('by a worker on the memory broker', 'virtual', () => inMemory('task'));

describeScenes(
  'by a worker on the memory broker, with the policy of the submission',
  'virtual',
  () => inMemory('submission'),
  WRITTEN_SCENES,
);
