import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { needs, rooms, source } from "./rooms.ts"

// `bun run campaign picture` draws the rooms from their imports into `src/rooms.svg`.

export const pictureFile = join(source, "rooms.svg")

const box = { height: 30, width: 122 }
const gap = { across: 14, down: 48 }
const margin = 20

const needsOf = (room: string) => [...(needs.get(room) ?? [])]

/** All rooms below a room, each computed once, because there are too many paths between rooms to walk them all. */
const below = new Map<string, ReadonlySet<string>>()
const allBelow = (room: string): ReadonlySet<string> => {
  const known = below.get(room) ?? new Set(needsOf(room).flatMap((next) => [next, ...allBelow(next)]))
  below.set(room, known)
  return known
}

/** Whether a room reaches another through a third. */
const reaches = (from: string, to: string): boolean => needsOf(from).some((next) => allBelow(next).has(to))

const known = new Map<string, number>()

/** The height of a room: one above the highest imported room. */
const height = (room: string): number => {
  const found = known.get(room) ?? Math.max(0, ...needsOf(room).map((next) => height(next) + 1))
  known.set(room, found)
  return found
}

/** The drawing: a box per room, a line to each room that it imports directly and not through another. */
export const picture = () => {
  const heights = new Map(rooms.map((room) => [room, height(room)]))
  const top = Math.max(...heights.values())
  const floors = Array.from({ length: top + 1 }, (_, index) =>
    rooms.filter((room) => heights.get(room) === top - index)
  )
  const widest = Math.max(...floors.map(({ length }) => length))
  const width = widest * (box.width + gap.across) - gap.across + 2 * margin
  const places = new Map(
    floors.flatMap((floor, row) => {
      const start = (width - floor.length * (box.width + gap.across) + gap.across) / 2
      return floor.map(
        (room, index) =>
          [room, { x: start + index * (box.width + gap.across), y: margin + row * (box.height + gap.down) }] as const
      )
    })
  )
  const placeOf = (room: string) => places.get(room) ?? { x: 0, y: 0 }
  const lines = rooms.flatMap((from) =>
    needsOf(from)
      .filter((to) => !reaches(from, to))
      .map((to) => {
        const start = placeOf(from)
        const end = placeOf(to)
        const [x1, y1, x2, y2] = [start.x + box.width / 2, start.y + box.height, end.x + box.width / 2, end.y]
        const bend = (y2 - y1) / 2
        return `<path d="M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}"><title>${from} imports ${to}</title></path>`
      })
  )
  const boxes = rooms.map((room) => {
    const { x, y } = placeOf(room)
    return `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="5"/><text x="${x + box.width / 2}" y="${y + 20}">${room}</text>`
  })
  const bottom = floors.length * (box.height + gap.down) - gap.down + 2 * margin
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom}" role="img" aria-label="Rooms and what they import">
<style>svg{background:#fff}path{fill:none;stroke:#7a8ba3;stroke-width:1.2}rect{fill:#eef3fa;stroke:#44597a}text{font:13px system-ui,sans-serif;text-anchor:middle;fill:#16233a}</style>
${[...lines, ...boxes].join("\n")}
</svg>
`
}

if (import.meta.main) writeFileSync(pictureFile, picture())
