import { describeBrokerContract } from '../contract/describe-broker-contract.ts';
import { createNaiveBroker } from './naive-broker.ts';
import { openNaive } from './open-naive.ts';

describeBrokerContract('a naive broker over a Map', {
  abilities: ['retention'],
  open: async (options) => openNaive(createNaiveBroker, options),
});
