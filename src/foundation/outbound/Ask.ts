import * as Duration from "effect/Duration"
import type { Deadlines } from "./Deadlines.ts"
import type { OutboundRequest } from "./Outbound.ts"
import { Fault } from "./Outbound.ts"
import { nothing } from "./Poll.ts"
import { type Answered, readAnswer } from "./ReadAnswer.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import type { Connection } from "./socket/Idle.ts"

/** The fault of an exchange that passes its deadline. */
export const overdue = new Fault({ reason: "timeout", message: "The exchange took longer than its deadline" })

const silent = new Fault({ reason: "timeout", message: "The server sent nothing for too long" })

/** A request, encoded, with its stopwatch. */
export interface Asked {
  readonly request: OutboundRequest
  readonly bytes: Uint8Array
  readonly watch: Stopwatch
}

const ignore = () => {}

/**
 * Sends a request over a connection and calls `settle` once with the outcome, within the deadline. It uses callbacks because an exchange over a
 * kept-alive connection is a write and a read, and effects for its steps cost ten times as much. Returns how to abort it; after that `settle` is not called.
 */
export const ask = (
  connection: Connection,
  { bytes, request, watch }: Asked,
  deadlines: Deadlines,
  settle: (outcome: Answered | Fault) => void
): (() => void) => {
  const most = Duration.toMillis(request.deadline)
  const quiet = request.idleTimeout === undefined ? most : Duration.toMillis(request.idleTimeout)
  const reading = readAnswer(connection, request, watch)
  let heard = watch.elapsed()
  const timed = {
    end: () => end(watch.elapsed() >= most ? overdue : silent),
    left: () => Math.min(most, heard + quiet) - watch.elapsed()
  }
  const leave = () => {
    deadlines.remove(timed)
    connection.wakeUp.listen(ignore)
    reading.close()
  }
  const end = (outcome: Answered | Fault) => {
    leave()
    if (!(outcome instanceof Fault)) watch.lap("bodyMs")
    settle(outcome)
  }
  const goOn = () => {
    heard = watch.elapsed()
    const outcome = reading.step()
    if (outcome !== nothing) end(outcome)
  }
  deadlines.add(timed)
  connection.wakeUp.listen(goOn)
  connection.socket.write(bytes)
  return leave
}
