/** Platform adapter: idle connections kept for another exchange, each for 30 s at most (`node:net` sockets have a time-out for silence). */
import type { Socket } from "node:net"
import { nothing, type Poll, type WakeUp } from "../Poll.ts"

/** An open connection to a vetted address. */
export interface Connection {
  readonly socket: Socket
  readonly poll: Poll
  readonly wakeUp: WakeUp
  readonly remoteAddress: string
  /** Closes it. */
  readonly close: () => void
}

const longest = 30_000

/** The most idle connections of one process. */
const most = 512

/** Connections by the host that they were made for; `key` is scheme, host and port. */
export const make = () => {
  const waiting = new Map<Connection, string>()
  const known = new WeakSet<Connection>()

  const drop = (connection: Connection) => {
    if (waiting.delete(connection)) connection.close()
  }

  /** The youngest connection of the host that leads to one of these addresses and is silent and open. */
  const take = (key: string, addresses: ReadonlyArray<string>): Connection | undefined => {
    for (const [connection, of] of [...waiting].reverse()) {
      if (of !== key || !addresses.includes(connection.remoteAddress)) continue
      if (connection.poll() === nothing && !connection.socket.destroyed) {
        waiting.delete(connection)
        connection.socket.ref()
        return connection
      }
      drop(connection)
    }
    return undefined
  }

  /** Keeps a connection for the next exchange. */
  const put = (key: string, connection: Connection): void => {
    const [oldest] = waiting.keys()
    if (waiting.size >= most && oldest !== undefined) drop(oldest)
    waiting.set(connection, key)
    // An idle connection must not keep a finished command alive.
    connection.socket.unref()
    if (known.has(connection)) return
    known.add(connection)
    // Every exchange restarts the time-out; none is silent for that long.
    connection.socket.setTimeout(longest)
    connection.socket.on("timeout", () => drop(connection))
    connection.socket.once("close", () => waiting.delete(connection))
  }

  return { put, take }
}
export type Idle = ReturnType<typeof make>
