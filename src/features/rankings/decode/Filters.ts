import * as Option from "effect/Option"
import * as Day from "../../../foundation/schema/Day.ts"
import { type Batch, type ExportDays, emptyBatch } from "../RawRow.ts"
import type { Options } from "./Collector.ts"
import { folded } from "./Values.ts"

// The list of filters in an export of the interface: a header of two cells, then the search type, the days, and further filters.

const namesOf = (text: string): ReadonlySet<string> => new Set(text.split(", ").map(folded))

/** Names of the first column in the languages of the interface. */
const headers = namesOf(
  "filter, filters, filtre, filtro, filtros, filtres, filtri, filtrar, filtrer, filtrera, filtrare, filtrowanie, filteren, filtr, suodatin, szűrő, filtru, фильтр, фільтр, филтер, филтър, φίλτρο, süzgeç, bộ lọc, penyaring, saring, filtrs, filtras, ตัวกรอง, फ़िल्टर, عامل التصفية, عامل تصفية, الفلتر, فلتر, מסנן, סינון, フィルタ, フィルター, 필터, 过滤器, 过滤条件, 篩選器, 篩選條件"
)

/**
 * Names of the second column in languages other than English. One of the two names is enough, because the first is a noun in some languages and a verb in
 * others.
 */
const values = namesOf(
  "wert, valeur, valor, valore, waarde, wartość, hodnota, değer, værdi, värde, verdi, arvo, érték, valoare, значение, стойност, вредност, значення, τιμή, giá trị, nilai, vrijednost, vrednost, vērtība, vertė, väärtus, ค่า, मान, वैल्यू, القيمة, قيمة, ערך, 値, 값, 值"
)

/** Whether a header begins a list of filters. */
export const isHeader = ([first = "", second = "", ...more]: ReadonlyArray<string>): boolean =>
  second !== "" && more.length === 0 && (headers.has(folded(first)) || values.has(folded(second)))

/** Kinds of search other than web. */
const otherSearches = namesOf(
  "image, images, bild, bilder, imagen, imágenes, immagine, immagini, imagem, imagens, afbeelding, afbeeldingen, obraz, obrazy, grafika, obrázek, obrázky, görsel, görseller, billede, billeder, kuva, kuvat, képek, kép, imagine, imagini, imatge, imatges, slika, slike, hình ảnh, gambar, изображение, изображения, картинки, зображення, изображения, εικόνα, εικόνες, 画像, 이미지, 图片, 圖片, video, videos, vídeo, vídeos, vidéo, vidéos, video’s, wideo, videoklip, videó, videók, видео, відео, βίντεο, 動画, 동영상, 视频, 影片, news, nachrichten, actualités, noticias, notizie, notícias, nieuws, wiadomości, zprávy, haberler, nyheder, nyheter, uutiset, hírek, știri, notícies, vijesti, novice, tin tức, berita, новости, новини, ειδήσεις, ニュース, 뉴스, 新闻, 新聞, discover"
)

const languages =
  "en de fr es it pt pt-PT nl cs pl ru tr ja zh zh-TW ko sv da nb fi hu ro uk el id vi sk sl hr sr lt lv et ca bg ar he th hi".split(
    " "
  )

/** Abbreviated months have one full stop, two or none. */
const withoutStops = (text: string) => folded(text).replace(/(?<=\p{L})\./gu, "")

/** The first day of a month, in milliseconds. */
const firstOf = (month: number) => Day.of(`2026-${String(month).padStart(2, "0")}-01`) * 86_400_000

/** Short and long names of months in dates, by language; built at the first day in words. */
const months = (() => {
  let made: ReadonlyArray<ReadonlyMap<string, number>> | undefined
  const names = (language: string) =>
    (["short", "long"] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { day: "numeric", month, timeZone: "UTC", year: "numeric" })
      return Array.from({ length: 12 }, (_, index) => {
        const part = format.formatToParts(firstOf(index + 1)).find(({ type }) => type === "month")
        return [withoutStops(part?.value ?? ""), index + 1] as const
      })
    })
  return () => {
    made ??= languages.map((language) => new Map(names(language)))
    return made
  }
})()

type Parts = readonly [year: number, month: number, day: number]

const dayOf = ([year, month, day]: Parts): string | undefined => {
  const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
  return Option.isSome(Day.parse(text)) ? text : undefined
}

/** Years may have two digits; years of Thailand's calendar are 543 ahead. */
const yearOf = (text: string) => {
  const year = text.length === 2 ? 2000 + Number(text) : Number(text)
  return year > 2500 ? year - 543 : year
}

/** Orders of the numbers of a day. */
const orders: ReadonlyArray<(numbers: ReadonlyArray<string>) => Parts> = [
  ([year = "", month = "", day = ""]) => [yearOf(year), Number(month), Number(day)],
  ([day = "", month = "", year = ""]) => [yearOf(year), Number(month), Number(day)],
  ([month = "", day = "", year = ""]) => [yearOf(year), Number(month), Number(day)]
]

/** A day of two numbers and the name of a month, in any order. */
const inWords = (tokens: ReadonlyArray<string>, names: ReadonlyMap<string, number>): Parts => {
  const numbers = tokens.filter((token) => !names.has(token)).map(Number)
  const month = tokens.map((token) => names.get(token)).find((found) => found !== undefined)
  return [yearOf(String(Math.max(...numbers))), month ?? 0, Math.min(...numbers)]
}

/** The range of tokens for one day, or for the first and the last day. */
const rangeAs = (tokens: ReadonlyArray<string>, read: (tokens: ReadonlyArray<string>) => Parts) => {
  if (tokens.length !== 3 && tokens.length !== 6) return []
  const [start, end] = [tokens.slice(0, 3), tokens.slice(-3)].map((day) => dayOf(read(day)))
  return start === undefined || end === undefined || start > end ? [] : [`${start} ${end}`]
}

const isNumber = (token: string) => /^\d+$/.test(token)

/** The days in a cell such as `Aug 28, 2026-Sep 3, 2026`; null for other cells, such as `Last 3 months`, and for ambiguous days. */
export const rangeOf = (cell: string): ExportDays["range"] => {
  const tokens = (withoutStops(cell).match(/\d+|\p{L}+/gu) ?? []).slice(0, 20)
  const numbers = tokens.filter(isNumber)
  if (numbers.length < 2) return null
  const found = new Set(
    numbers.length === 3 || numbers.length === 6
      ? orders.flatMap((read) => rangeAs(numbers, read))
      : months().flatMap((names) =>
          rangeAs(
            tokens.filter((token) => isNumber(token) || names.has(token)),
            (day) => inWords(day, names)
          )
        )
  )
  const [only, another] = found
  if (only === undefined || another !== undefined) return null
  const [start = "", end = ""] = only.split(" ")
  return { end, start }
}

/** Rows of every list: the search type and the days. */
const usual = 2

/** Reads a list of filters. An export with filters other than days is refused, because its numbers are not the whole site's. */
export const table = (file: string, { notAfter }: Options, isDimension: (cell: string) => boolean) => {
  let range: ExportDays["range"] = null
  let rows = 0
  return {
    collector: { take: (): Batch => ({ ...emptyBatch, exported: { by: "filters", file, range } }) },
    onRecord: ([name = "", value = ""]: ReadonlyArray<string>) => {
      rows += 1
      if (otherSearches.has(folded(value)))
        return `this export is of another search than that of the web ("${name}": "${value}"); export the search results of the web`
      const found = rangeOf(value)
      if (found !== null && (notAfter === undefined || found.end <= notAfter)) range ??= found
      return found === null && (rows > usual || isDimension(name))
        ? `this export is filtered ("${name}": "${value}"), so its numbers do not cover the whole site. Export it without this filter`
        : undefined
    }
  }
}
