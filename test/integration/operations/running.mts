export { running } from '../world.mts';
