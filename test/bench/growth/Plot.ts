/** A column of the plot: how many rows, and the milliseconds of each line. */
export interface Column {
  readonly rows: number
  readonly values: Readonly<Record<string, number>>
}

const [width, height, left, top, right, bottom] = [680, 320, 60, 16, 200, 32]
const hues = [210, 30, 120, 0, 270, 170, 330, 60]

/** Lines over rows and milliseconds, both in powers of ten; a grey one grows as the rows do. */
export const plot = (columns: ReadonlyArray<Column>): string => {
  const names = Object.keys(columns[0]?.values ?? {})
  const all = columns.flatMap(({ values }) => Object.values(values))
  const [low, high] = [0, Math.ceil(Math.log10(Math.max(10, ...all)))]
  const [from, to] = [Math.log10(columns[0]?.rows ?? 1), Math.log10(columns.at(-1)?.rows ?? 10)]
  const x = (rows: number) =>
    Math.round(left + ((Math.log10(rows) - from) / Math.max(1, to - from)) * (width - left - right))
  const y = (ms: number) =>
    Math.round(height - bottom - ((Math.log10(Math.max(1, ms)) - low) / (high - low)) * (height - top - bottom))
  const path = (points: ReadonlyArray<readonly [number, number]>) =>
    points.map(([px, py], n) => `${n === 0 ? "M" : "L"}${px} ${py}`).join("")
  const text = (px: number, py: number, words: string, anchor = "start", fill = "#555") =>
    `<text x="${px}" y="${py}" text-anchor="${anchor}" fill="${fill}">${words}</text>`
  const grid = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n)).map(
    (ms) =>
      `<path d="M${left} ${y(ms)}H${width - right}" stroke="#ddd"/>${text(left - 6, y(ms) + 4, `${ms} ms`, "end")}`
  )
  const first = columns[0]?.rows ?? 1
  const linear = `<path d="${path(columns.map(({ rows }) => [x(rows), y(rows / first)]))}" stroke="#bbb" stroke-dasharray="4 3" fill="none"/>`
  const ends = names.map((name) => y(columns.at(-1)?.values[name] ?? 1)).sort((a, b) => a - b)
  const placed: Array<number> = []
  for (const end of ends) placed.push(Math.max(end, (placed.at(-1) ?? -12) + 12))
  const ordered = [...names].sort((a, b) => y(columns.at(-1)?.values[a] ?? 1) - y(columns.at(-1)?.values[b] ?? 1))
  const lines = ordered.map((name, n) => {
    const colour = `hsl(${hues[names.indexOf(name) % hues.length]} 60% 45%)`
    const points = columns.map(({ rows, values }) => [x(rows), y(values[name] ?? 1)] as const)
    return `<path d="${path(points)}" stroke="${colour}" stroke-width="2" fill="none"/>${text(width - right + 6, (placed[n] ?? 0) + 4, name, "start", colour)}`
  })
  const axis = columns.map(({ rows }) => text(x(rows), height - 10, `${rows.toLocaleString("en")} rows`, "middle"))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11"><title>CPU time of a request over the rows of a site</title><rect width="100%" height="100%" fill="#fff"/>\n${[...grid, linear, ...lines, ...axis].join("\n")}\n</svg>\n`
}
