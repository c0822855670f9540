import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { memoryOf, processes } from "../../../src/foundation/browser/Memory.ts"

const attempt = <A>(read: () => A, otherwise: A): A => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

const resident = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(attempt(() => readFileSync(`/proc/${pid}/status`, "utf8"), ""))?.[1] ?? 0) * 1024

const commandOf = (pid: number): string => attempt(() => readFileSync(`/proc/${pid}/cmdline`, "latin1"), "")

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(attempt(() => readFileSync(`/proc/${pid}/status`, "utf8"), ""))?.[1] ?? 0)

/** When a process began: with its number, its name for good. Null for one that has ended. */
const begunAt = (pid: number): string | null => {
  const [, state, begun] =
    /^.*\) (\S)(?: \S+){18} (\d+)/s.exec(attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"), "")) ?? []
  return begun === undefined || state === "Z" ? null : begun
}

/** Paths of all files and folders below a folder, with the bytes that they take. */
export const filesBelow = (folder: string): ReadonlyArray<readonly [path: string, bytes: number]> =>
  attempt(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const path = join(folder, entry.name)
    const own = [path, attempt(() => lstatSync(path).blocks * 512, 0)] as const
    return entry.isDirectory() ? [own, ...filesBelow(path)] : [own]
  })

const tables = ["tcp", "tcp6", "udp", "udp6"]

/** The sockets of the machine by their inodes: what each one is connected to. */
const sockets = (): ReadonlyMap<string, string> =>
  new Map(
    tables.flatMap((table) =>
      attempt(() => readFileSync(`/proc/net/${table}`, "utf8"), "")
        .split("\n")
        .slice(1)
        .flatMap((line) => {
          const [, local = "", remote = "", state, , , , , , inode = ""] = line.trim().split(/\s+/)
          return inode === ""
            ? []
            : [
                [
                  inode,
                  state === "0A" ? `${table} listens on ${local}` : `${table} from ${local} to ${remote}`
                ] as const
              ]
        })
    )
  )

const inodesOf = (pid: number): ReadonlyArray<string> =>
  attempt(() => readdirSync(`/proc/${pid}/fd`), []).flatMap(
    (fd) => /^socket:\[(\d+)\]$/.exec(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ""))?.[1] ?? []
  )

/** `127.0.0.1:port` of a browser's proxy, as the kernel writes it. */
const proxyOf = (command: string): string => {
  const port = /--proxy-server=socks5:\/\/127\.0\.0\.1:(\d+)/.exec(command)?.[1] ?? "0"
  return `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`
}

const otherSideOf = (socket: string): string => socket.slice(socket.lastIndexOf(" ") + 1)

/** A socket over UDP that is bound to no address and has no other side: browsers ask with it which address a way out would have, and send nothing. */
const idle = /^udp6? from 0+:\w+ to 0+:0+$/

const every = 40
/** Files and sockets take longer to look at. */
const seldom = 5

/** Looks at a process that crawls, its browser and their folder until it is stopped. */
export const watched = (root: number, folder: string) => {
  const { startedBy } = processes()
  const met = new Map<number, string>()
  const strange = new Set<string>()
  const ownCommand = commandOf(root)
  let [memory, own, disk, looks, browsers] = [0, 0, 0, 0, 0]
  const look = () => {
    const started = startedBy(root)
    for (const pid of started) {
      if (met.has(pid)) continue
      met.set(pid, begunAt(pid) ?? "")
      if (parentOf(pid) === root) browsers += 1
    }
    const sum = (of: (pid: number) => number) => started.reduce((total, pid) => total + of(pid), 0)
    if (sum(resident) > memory) memory = Math.max(memory, sum(memoryOf))
    own = Math.max(own, resident(root))
    if (looks++ % seldom !== 0) return
    disk = Math.max(
      disk,
      filesBelow(folder).reduce((total, [, bytes]) => total + bytes, 0)
    )
    const all = sockets()
    const proxies = new Set(started.map((pid) => proxyOf(commandOf(pid))))
    for (const pid of started) {
      // Between its fork and its program a process has what its parent has.
      if (commandOf(pid) === ownCommand) continue
      for (const inode of inodesOf(pid)) {
        const socket = all.get(inode)
        if (socket === undefined || idle.test(socket) || proxies.has(otherSideOf(socket))) continue
        strange.add(socket)
      }
    }
  }
  const timer = setInterval(look, every)
  return {
    /** What was seen, and which of the processes are still there. */
    stop: async () => {
      clearInterval(timer)
      const left = () => [...met].filter(([pid, begun]) => begun !== "" && begunAt(pid) === begun).map(([pid]) => pid)
      for (let waits = 0; waits < 20 && left().length > 0; waits++) await Bun.sleep(50)
      return { browsers, disk, left: left(), memory, own, processes: met.size, strange: [...strange] }
    }
  }
}
