import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import { strToU8, zipSync } from "fflate"
import { rangeOf } from "../../../../src/features/rankings/decode/Filters.ts"
import { decode, refusal } from "../decoding.ts"

describe("the days of an export", () => {
  test.each([
    ["Aug 28, 2026-Sep 3, 2026", "2026-08-28", "2026-09-03"],
    ["27 juil. 2026-9 août 2026", "2026-07-27", "2026-08-09"],
    ["1 janv. 2026-31 janv. 2026", "2026-01-01", "2026-01-31"],
    ["28.08.2026-03.09.2026", "2026-08-28", "2026-09-03"],
    ["28. Aug. 2026–3. Sept. 2026", "2026-08-28", "2026-09-03"],
    ["28 de ago de 2026 - 3 de sept de 2026", "2026-08-28", "2026-09-03"],
    ["2026/08/28-2026/09/03", "2026-08-28", "2026-09-03"],
    ["2026年8月28日-2026年9月3日", "2026-08-28", "2026-09-03"],
    ["2026. 8. 28.-2026. 9. 3.", "2026-08-28", "2026-09-03"],
    ["8/1/26-8/31/26", "2026-08-01", "2026-08-31"],
    ["28. aug. 2026-3. sep. 2026", "2026-08-28", "2026-09-03"],
    ["2026. aug. 28.-2026. szept. 3.", "2026-08-28", "2026-09-03"],
    ["28 авг. 2026 г.-3 сент. 2026 г.", "2026-08-28", "2026-09-03"],
    ["28 ส.ค. 2569-3 ก.ย. 2569", "2026-08-28", "2026-09-03"],
    ["Nov 20, 2026", "2026-11-20", "2026-11-20"]
  ])("%s", (cell, start, end) => {
    expect(rangeOf(cell)).toEqual({ end, start })
  })

  test.each([["Last 3 months"], ["Les 28 derniers jours"], ["過去 3 か月間"], ["Web"], ["1/2/2026-3/4/2026"], [""]])(
    "are not named by %s",
    (cell) => {
      expect(rangeOf(cell)).toBeNull()
    }
  )
})

const exported = (filters: string) =>
  zipSync({
    "Queries.csv": strToU8("Top queries,Clicks,Impressions,CTR,Position\nshoes,1,10,10%,2.5\n"),
    "Filters.csv": strToU8(filters)
  })

describe("a list of filters", () => {
  test.each([
    ["Filter,Value\nSearch type,Web\nDate,Last 3 months\n"],
    ["Filtre,Valeur\nType de recherche,Web\nDate,Les 3 derniers mois\n"],
    ["Filter,Wert\nSuchtyp,Web\nDatum,Letzte 3 Monate\n"],
    ["フィルタ,値\n検索タイプ,ウェブ\n期間,過去 3 か月間\n"],
    ["Filter,Verdi\nSøketype,Nett\nDato,Siste 3 måneder\n"],
    ["Filtrar,Valor\nTipo de búsqueda,Web\nFecha,Últimos 3 meses\n"],
    ["Filtrera efter,Värde\nSöktyp,Webb\nDatum,De senaste 3 månaderna\n"],
    ["Szűrő,Érték\nKeresés típusa,Web\nDátum,Utolsó 3 hónap\n"]
  ])("for the whole site is accepted: %s", (filters) => {
    expect(Either.getOrThrow(decode("gsc-csv", exported(filters))).snapshots).toHaveLength(1)
  })

  test.each([
    ["Search type,Web\nDate,Last 28 days\nPage,+/shoes", '("Page": "+/shoes")'],
    ["Search type,Web\nPage,+/shoes", '("Page": "+/shoes")'],
    ["Search type,Web\nDate,Last 28 days\nThing,other", '("Thing": "other")']
  ])("with more than days refuses the archive: %s", (lines, reason) => {
    const said = refusal("gsc-csv", exported(`Filter,Value\n${lines}\n`))
    expect(refusal("gsc-csv", exported(`Filtrar,Valor\n${lines}\n`))).toBe(said)
    expect(said).toStartWith("file/Filters.csv:")
    expect(said).toContain(`this export is filtered ${reason}`)
  })

  test.each([["Search type,Image"], ["Search type,Video"], ["Suchtyp,Bilder"]])(
    "of another search refuses: %s",
    (line) => {
      expect(refusal("gsc-csv", exported(`Filter,Value\n${line}\nDate,Last 28 days\n`))).toContain(
        "another search than that of the web"
      )
    }
  )
})
