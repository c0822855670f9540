/** Platform adapter (`node:os`): the priority of a process. */
import { constants, setPriority } from "node:os"
import * as Either from "effect/Either"

/** Lets those who answer requests on this machine go first, where the system allows that. */
export const yieldToServers = (): void => void Either.try(() => setPriority(constants.priority.PRIORITY_BELOW_NORMAL))
