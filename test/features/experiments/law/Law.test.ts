import { expect, test } from "bun:test"
import { assignedRows, chosenRows, isKept, type Row } from "./Law.ts"

const runs = 24

const broken = (rows: ReadonlyArray<Row>) =>
  rows.flatMap(({ measured, metric, name }) =>
    measured.filter((one) => !isKept(one, runs)).map(({ of, share }) => `${name}, ${metric}: ${of} ${share}`)
  )

test("randomly assigned pages give few false alarms, cover the truth, and detect the stated effect", () => {
  expect(broken(assignedRows(20, runs, 5))).toEqual([])
})

test("chosen folders with shared shocks give fewer false alarms by the combined method than by pages alone", () => {
  const rows = chosenRows(runs, 6)
  expect(broken(rows)).toEqual([])
  const shares = (name: string) =>
    rows.flatMap(({ measured }) => measured.flatMap(({ of, share }) => (of === name ? [share] : [])))
  const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
  expect(sum(shares("by pages alone"))).toBeGreaterThan(2 * sum(shares("false alarms")))
})
