import type { Style } from "./Numbers.ts"

/** The columns that a search performance table may have. */
export type Column = "date" | "query" | "page" | "clicks" | "impressions" | "ctr" | "position" | "country" | "device"

/** A language of the interface: how it writes numbers, and its names of the columns. */
export interface Language {
  readonly style: Style
  readonly names: { readonly [column in Column]?: ReadonlyArray<string> }
}

/** A language from its style and names. */
export const language = (style: Style, names: Language["names"]): Language => ({ style, names })

/** Header names in the languages that are written in Latin letters, as the exports and the tools around them write them. */
export const latinLanguages: ReadonlyArray<Language> = [
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
    country: ["kraj", "kraje"],
    device: ["urządzenie", "urządzenia"]
  }),
  language("comma", {
    date: ["tarih"],
    query: ["sorgu", "sorgular", "en popüler sorgular", "en çok yapılan sorgular", "en çok kullanılan sorgular"],
    page: ["sayfa", "sayfalar", "en popüler sayfalar", "en çok ziyaret edilen sayfalar"],
    clicks: ["tıklama", "tıklamalar"],
    impressions: ["gösterim", "gösterimler", "görüntüleme"],
    ctr: ["to", "tıklama oranı"],
    position: ["konum", "ortalama konum", "pozisyon"],
    country: ["ülke", "ülkeler"],
    device: ["cihaz", "cihazlar"]
  }),
  language("comma", {
    query: ["vanligaste sökfrågorna", "sökfrågor", "vanligaste frågorna"],
    page: ["vanligaste sidorna", "sidor", "sida"],
    clicks: ["klick"],
    impressions: ["visningar", "exponeringar"],
    ctr: ["klickfrekvens"],
    position: ["genomsnittlig position", "placering"],
    country: ["länder"],
    device: ["enheter", "enhet"]
  }),
  language("comma", {
    date: ["ngày"],
    query: ["truy vấn", "truy vấn hàng đầu", "cụm từ tìm kiếm hàng đầu"],
    page: ["trang", "trang hàng đầu"],
    clicks: ["lượt nhấp", "số lượt nhấp"],
    impressions: ["lượt hiển thị", "số lượt hiển thị"],
    position: ["vị trí"],
    country: ["quốc gia"],
    device: ["thiết bị"]
  }),
  language("comma", {
    query: ["suosituimmat kyselyt", "kysely", "kyselyt", "hakukysely", "hakusana", "hakusanat"],
    page: ["suosituimmat sivut"],
    clicks: ["napsautukset", "klikkaukset"],
    impressions: ["näyttökerrat"],
    ctr: ["napsautussuhde"],
    position: ["sijainti", "keskimääräinen sijainti"]
  }),
  language("comma", {
    clicks: ["kliknutia"],
    impressions: ["zobrazenia"],
    ctr: ["mp"],
    position: ["pozícia"]
  }),
  language("comma", {
    date: ["tanggal"],
    query: ["kueri teratas", "kueri"],
    page: ["halaman teratas", "halaman"],
    clicks: ["klik"],
    impressions: ["tayangan"],
    position: ["posisi"],
    country: ["negara"],
    device: ["perangkat"]
  })
]
