import type { Style } from "./Numbers.ts"

/** The columns that a search performance table may have. */
export type Column = "date" | "query" | "page" | "clicks" | "impressions" | "ctr" | "position" | "country" | "device"

interface Language {
  readonly style: Style
  readonly names: { readonly [column in Column]?: ReadonlyArray<string> }
}

const language = (style: Style, names: Language["names"]): Language => ({ style, names })

/** Header names by interface language, as the exports and the tools around them write them. */
const languages: ReadonlyArray<Language> = [
  language("dot", {
    date: ["date", "day", "data_date"],
    query: ["query", "queries", "top queries", "keyword", "keywords", "search query", "search queries", "search term"],
    page: ["page", "pages", "top pages", "url", "page url", "landing page", "address", "page path", "page_path"],
    clicks: ["clicks", "total clicks", "url clicks", "site clicks"],
    impressions: ["impressions", "total impressions", "url impressions"],
    ctr: ["ctr", "url ctr", "site ctr", "click through rate", "average ctr"],
    position: ["position", "average position", "avg position", "avg. position", "avg pos"],
    country: ["country", "countries"],
    device: ["device", "devices", "device category"]
  }),
  language("comma", {
    date: ["datum", "tag"],
    query: ["suchanfrage", "suchanfragen", "häufigste suchanfragen", "die häufigsten suchanfragen", "suchbegriff"],
    page: ["seite", "seiten", "häufigste seiten", "die häufigsten seiten", "beliebteste seiten"],
    clicks: ["klicks"],
    impressions: ["impressionen"],
    ctr: ["klickrate"],
    position: ["durchschnittliche position"],
    country: ["land", "länder"],
    device: ["gerät", "geräte"]
  }),
  language("comma", {
    date: ["jour"],
    query: ["requête", "requêtes", "requêtes les plus fréquentes", "principales requêtes"],
    page: ["pages les plus populaires", "pages principales"],
    clicks: ["clics"],
    position: ["position moyenne"],
    country: ["pays"],
    device: ["appareil", "appareils"]
  }),
  language("comma", {
    date: ["fecha"],
    query: ["consulta", "consultas", "consultas principales", "principales consultas"],
    page: ["página", "páginas", "páginas principales", "principales páginas"],
    impressions: ["impresiones"],
    position: ["posición", "posición media"],
    country: ["país", "países"],
    device: ["dispositivo", "dispositivos"]
  }),
  language("comma", {
    date: ["data"],
    query: ["query principali"],
    page: ["pagina", "pagine", "pagine principali"],
    clicks: ["clic"],
    impressions: ["impressioni"],
    position: ["posizione", "posizione media"],
    country: ["paese", "paesi"],
    device: ["dispositivi"]
  }),
  language("comma", {
    query: ["consultas principais", "principais consultas", "top consultas"],
    page: ["páginas principais", "principais páginas"],
    clicks: ["cliques"],
    impressions: ["impressões"],
    position: ["posição", "posição média"]
  }),
  language("comma", {
    query: ["query's", "zoekopdracht", "zoekopdrachten", "populairste zoekopdrachten", "zoekterm"],
    page: ["pagina's", "populairste pagina's"],
    clicks: ["klikken"],
    impressions: ["vertoningen"],
    position: ["positie", "gemiddelde positie"],
    device: ["apparaat", "apparaten"]
  }),
  language("comma", {
    query: ["dotaz", "dotazy", "nejčastější dotazy", "hlavní dotazy"],
    page: ["stránka", "stránky", "nejčastější stránky", "nejlepší stránky", "hlavní stránky"],
    clicks: ["kliknutí", "prokliky"],
    impressions: ["zobrazení", "imprese"],
    ctr: ["míra prokliku"],
    position: ["pozice", "průměrná pozice"],
    country: ["země"],
    device: ["zařízení"]
  }),
  language("comma", {
    query: ["zapytanie", "zapytania", "najpopularniejsze zapytania", "najczęstsze zapytania"],
    page: ["strona", "strony", "najpopularniejsze strony"],
    clicks: ["kliknięcia"],
    impressions: ["wyświetlenia"],
    ctr: ["współczynnik klikalności"],
    position: ["pozycja", "średnia pozycja"],
    country: ["kraj"],
    device: ["urządzenie"]
  }),
  language("comma", {
    date: ["дата"],
    query: ["запрос", "запросы", "популярные запросы", "самые популярные запросы"],
    page: ["страница", "страницы", "популярные страницы", "самые популярные страницы"],
    clicks: ["клики"],
    impressions: ["показы"],
    position: ["позиция", "средняя позиция"],
    country: ["страна"],
    device: ["устройство"]
  }),
  language("comma", {
    date: ["tarih"],
    query: ["sorgu", "sorgular", "en popüler sorgular"],
    page: ["sayfa", "sayfalar", "en popüler sayfalar"],
    clicks: ["tıklama", "tıklamalar"],
    impressions: ["gösterim", "gösterimler", "görüntüleme"],
    position: ["konum", "ortalama konum"]
  }),
  language("dot", {
    date: ["日付"],
    query: ["クエリ", "上位のクエリ", "検索キーワード"],
    page: ["ページ", "上位のページ"],
    clicks: ["クリック数"],
    impressions: ["表示回数"],
    position: ["掲載順位", "平均掲載順位"],
    country: ["国"],
    device: ["デバイス"]
  }),
  language("dot", {
    date: ["日期", "날짜"],
    query: ["查询", "热门查询", "热门查询内容", "검색어", "인기 검색어"],
    page: ["网页", "热门网页", "排名靠前的网页", "페이지", "인기 페이지"],
    clicks: ["点击次数", "클릭수"],
    impressions: ["展示", "展示次数", "노출", "노출수"],
    position: ["排名", "平均排名", "게재순위", "게재 순위"]
  })
]

/** Case, blanks and accents set aside, so that composed and decomposed spellings meet. */
const folded = (name: string) =>
  name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("\u2019", "'").replace(/\s+/g, " ").trim()

/** A recognised header cell: its column and the number style of its language. */
export interface Known {
  readonly column: Column
  readonly style: Style
}

const known = new Map<string, Known>(
  languages.flatMap(({ names, style }) =>
    columns().flatMap((column) => (names[column] ?? []).map((name) => [folded(name), { column, style }] as const))
  )
)

function columns(): ReadonlyArray<Column> {
  return ["date", "query", "page", "clicks", "impressions", "ctr", "position", "country", "device"]
}

/** The column that a header cell names, in any of the languages known; undefined when it names none. */
export const columnOf = (cell: string): Known | undefined => known.get(folded(cell))

/** Whether a header cell names one of two compared periods of a metric, such as `Last 28 days Clicks`. */
export const isComparedMetric = (cell: string): boolean => {
  const text = folded(cell)
  return metrics.some((name) => text !== name && (text.endsWith(` ${name}`) || text.startsWith(`${name} `)))
}

const metrics = languages.flatMap(({ names }) => [...(names.clicks ?? []), ...(names.impressions ?? [])]).map(folded)
