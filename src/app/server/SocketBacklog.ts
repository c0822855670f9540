/** Platform adapter: what the kernel holds of the answers on a connection, from Linux's tables of sockets. */
import { readFile } from "node:fs/promises"
import { isIPv4 } from "node:net"
import * as Effect from "effect/Effect"

const tables = ["/proc/net/tcp", "/proc/net/tcp6"]

const hex = (bytes: ReadonlyArray<number>) =>
  bytes
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()

/** The bytes of an IPv6 address as `URL` writes it, which shortens it in one way alone. */
const bytesOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const [before, after] = [groups(head), groups(tail ?? "")]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0")
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}

/** As the tables write an address: words of four bytes, each from its last byte to its first. */
const words = (bytes: ReadonlyArray<number>) =>
  Array.from({ length: bytes.length / 4 }, (_, at) => hex(bytes.slice(4 * at, 4 * at + 4).toReversed())).join("")

/** How the tables write the far end of a connection: in that of IPv4, and in that of IPv6. */
export const farEnds = (address: string, port: number): ReadonlyArray<string> => {
  const suffix = `:${hex([port >> 8, port & 255])}`
  if (!isIPv4(address)) return [` ${words(bytesOf(address))}${suffix} `]
  return [` ${words(address.split(".").map(Number))}${suffix} `, ` ${words(bytesOf(`::ffff:${address}`))}${suffix} `]
}

/** The bytes that wait to be sent or acknowledged on the connection with this far end, by the text of a table. */
export const queued = (table: string, farEnd: string): number | undefined => {
  // The far end is followed by the state and the queue. Where both ends are on this machine, it is the near end of another row as well.
  const queue = new RegExp(`${farEnd}[0-9A-F]{2} ([0-9A-F]{8}):`).exec(table)?.[1]
  return queue === undefined ? undefined : Number.parseInt(queue, 16)
}

/** What waits on the connection with an address and a port at its far end; 0 where there are no such tables. */
export const backlog = ({
  address,
  port
}: {
  readonly address: string
  readonly port: number
}): Effect.Effect<number> =>
  Effect.forEach(tables, (file) => Effect.promise(() => readFile(file, "latin1").catch(() => ""))).pipe(
    Effect.map(
      (texts) =>
        texts
          .flatMap((text) => farEnds(address, port).map((farEnd) => queued(text, farEnd)))
          .find((bytes) => bytes !== undefined) ?? 0
    )
  )
