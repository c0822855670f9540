/** Platform adapter: the bytes of answers in the kernel's send queue of a connection, from Linux's tables of sockets. */
import { readFile } from "node:fs/promises"
import { isIPv4 } from "node:net"
import * as Effect from "effect/Effect"

const tables = ["/proc/net/tcp", "/proc/net/tcp6"]

const hex = (bytes: ReadonlyArray<number>) =>
  bytes
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()

/** The bytes of an IPv6 address. `URL` normalises its text. */
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

/** An address in the form of the tables: words of four bytes, each in reverse order. */
const words = (bytes: ReadonlyArray<number>) =>
  Array.from({ length: bytes.length / 4 }, (_, at) => hex(bytes.slice(4 * at, 4 * at + 4).toReversed())).join("")

/** The far end of a connection in the form of the tables: of IPv4, and of IPv6. */
export const farEnds = (address: string, port: number): ReadonlyArray<string> => {
  const suffix = `:${hex([port >> 8, port & 255])}`
  if (!isIPv4(address)) return [` ${words(bytesOf(address))}${suffix} `]
  return [` ${words(address.split(".").map(Number))}${suffix} `, ` ${words(bytesOf(`::ffff:${address}`))}${suffix} `]
}

/** The bytes that are not yet sent or acknowledged on the connection with this far end, from the text of a table. */
export const queued = (table: string, farEnd: string): number | undefined => {
  // State and queue follow the far end. Where both ends are on this machine, it is also the near end of another row.
  const queue = new RegExp(`${farEnd}[0-9A-F]{2} ([0-9A-F]{8}):`).exec(table)?.[1]
  return queue === undefined ? undefined : Number.parseInt(queue, 16)
}

/** The bytes in the send queue of the connection to an address and port; 0 where the system has no such tables. */
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
