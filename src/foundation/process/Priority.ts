/** Platform adapter (`node:os`): the priority of a process. */
import { constants, setPriority } from "node:os"
import * as Either from "effect/Either"

/** Lowers the priority of this process below that of servers on this machine, where the system allows it. */
export const yieldToServers = (): void => void Either.try(() => setPriority(constants.priority.PRIORITY_BELOW_NORMAL))
