import type { Style } from "./Values.ts"

/** The columns that a search performance table may have. */
export type Column = "date" | "query" | "page" | "clicks" | "impressions" | "ctr" | "position" | "country" | "device"

/** A language of the interface: how it writes numbers, and its names of the columns. */
interface Language {
  readonly style: Style
  readonly names: { readonly [column in Column]?: ReadonlyArray<string> }
}

/** A language from its style and names. */
const language = (style: Style, names: Language["names"]): Language => ({ style, names })

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

/** Header names in the languages that are written in other letters than Latin ones. */
export const otherLanguages: ReadonlyArray<Language> = [
  language("comma", {
    date: ["дата"],
    query: ["запрос", "запросы", "популярные запросы", "самые популярные запросы", "поисковый запрос"],
    page: ["страница", "страницы", "популярные страницы", "самые популярные страницы", "верхние страницы"],
    clicks: ["клики"],
    impressions: ["показы"],
    position: ["позиция", "средняя позиция"],
    country: ["страна", "страны"],
    device: ["устройство", "устройства"]
  }),
  language("comma", {
    query: ["найпопулярніші запити", "запит", "запити"],
    page: ["найпопулярніші сторінки", "сторінка", "сторінки"],
    clicks: ["звертання", "кліки"],
    impressions: ["покази"],
    position: ["позиція"]
  }),
  language("comma", {
    query: ["ερώτημα"],
    clicks: ["κλικ"],
    impressions: ["εμφανίσεις"],
    position: ["θέση"]
  }),
  language("comma", {
    page: ["страници"],
    clicks: ["кликвания"],
    impressions: ["импресии"]
  }),
  language("dot", {
    query: ["أهم طلبات البحث"],
    page: ["أهم الصفحات"],
    clicks: ["النقرات"],
    impressions: ["عدد الظهور"],
    ctr: ["نسبة النقر إلى الظهور"],
    position: ["موضع"]
  }),
  language("dot", {
    date: ["תאריך"],
    query: ["השאילתות המובילות", "שאילתות מובילות"],
    page: ["הדפים המובילים"],
    clicks: ["קליקים"],
    impressions: ["חשיפות", "הופעות"],
    ctr: ["שיעור קליקים"],
    position: ["מיקום", "מקום"]
  }),
  language("dot", {
    query: ["ข้อความค้นหายอดนิยม"],
    clicks: ["การคลิก"],
    impressions: ["การแสดงผล"],
    position: ["อันดับ"]
  }),
  language("dot", {
    query: ["熱門查詢項目", "查詢", "熱門查詢"],
    page: ["熱門網頁", "網頁"],
    clicks: ["點擊", "點擊次數"],
    impressions: ["曝光", "曝光次數"],
    ctr: ["點閱率"],
    position: ["排序", "平均排序"],
    country: ["國家/地區"],
    device: ["裝置"]
  }),
  language("dot", {
    date: ["日付", "日"],
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
    query: ["查询", "热门查询", "热门查询内容", "검색어", "인기 검색어", "상위 쿼리", "쿼리"],
    page: ["网页", "热门网页", "排名靠前的网页", "페이지", "인기 페이지", "상위 페이지"],
    clicks: ["点击次数", "클릭수"],
    impressions: ["展示", "展示次数", "노출", "노출수"],
    ctr: ["点击率", "클릭률"],
    position: ["排名", "平均排名", "게재순위", "게재 순위", "평균 게재순위", "평균 게재 순위"],
    country: ["国家/地区", "国家", "국가"],
    device: ["设备", "기기"]
  })
]
