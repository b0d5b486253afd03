import { inMemory, inProcess } from './arenas.ts';
import { describeScenes } from './describe-scenes.ts';

describeScenes('in process', 'virtual', () => inProcess);

describeScenes('by a worker on the memory broker', 'virtual', () => inMemory);
