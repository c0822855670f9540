import * as Duration from "effect/Duration"
import type { Deadlines } from "./Deadlines.ts"
import { Fault } from "./Fault.ts"
import type { OutboundRequest } from "./OutboundRequest.ts"
import { nothing } from "./Poll.ts"
import { type Answered, readAnswer } from "./ReadAnswer.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import type { Connection } from "./socket/Idle.ts"

/** No exchange lasts longer than its deadline. */
export const overdue = new Fault({ reason: "timeout", message: "The exchange took longer than its deadline" })

const silent = new Fault({ reason: "timeout", message: "The server sent nothing for too long" })

/** A request as it is sent. */
export interface Asked {
  readonly request: OutboundRequest
  readonly bytes: Uint8Array
  readonly watch: Stopwatch
}

const nobody = () => {}

/**
 * Sends a request over a connection and tells once what came of it, within the deadline. It is made of callbacks: an exchange over a connection that
 * was kept alive is a write and a read, and effects for its steps cost ten times as much. Answers how to break it off, after which nothing is told.
 */
export const ask = (
  connection: Connection,
  { bytes, request, watch }: Asked,
  deadlines: Deadlines,
  tell: (outcome: Answered | Fault) => void
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
    connection.wakeUp.tell(nobody)
    reading.close()
  }
  const end = (outcome: Answered | Fault) => {
    leave()
    if (!(outcome instanceof Fault)) watch.lap("bodyMs")
    tell(outcome)
  }
  const goOn = () => {
    heard = watch.elapsed()
    const outcome = reading.step()
    if (outcome !== nothing) end(outcome)
  }
  deadlines.add(timed)
  connection.wakeUp.tell(goOn)
  connection.socket.write(bytes)
  return leave
}
