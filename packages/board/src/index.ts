export type { Access, Granted } from './access/rights.ts';
export type { Act, ActKind, Right, Rights } from './api.ts';
export type { Board } from './create-board.ts';
export { createBoard } from './create-board.ts';
export type { BoardErrorCode } from './errors.ts';
export type { NodeListener, NodeRequest, NodeResponse } from './node-listener.ts';
export { toNodeListener } from './node-listener.ts';
export type { BoardOptions } from './options.ts';
export type { Mask, Maskable } from './show/mask.ts';
