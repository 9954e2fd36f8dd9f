/* SPDX-License-Identifier: BSD-2-Clause */
#include "xmp.h"

#include <strings.h>

#define SPACE_RDF "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

/* ---- Dates ---------------------------------------------------------------------------------------- */

typedef struct moment {
    unsigned year, month, day, hour, minute, second;
} moment;

static int is_possible(const moment *m)
{
    return m->year <= 9999 && m->month >= 1 && m->month <= 12 && m->day >= 1 && m->day <= 31 && m->hour <= 23 &&
           m->minute <= 59 && m->second <= 60;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* `pattern`: 0 stands for a digit, any other character for itself. */
static int fits(const char *text, const char *pattern)
{
    for (; *pattern; pattern++, text++) {
        if (*pattern == '0' ? !is_digit(*text) : *text != *pattern) {
            return 0;
        }
    }
    return 1;
}

static unsigned digits(const char *text, unsigned count)
{
    unsigned value = 0;
    for (unsigned i = 0; i < count; i++) {
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    return value;
}

/* A zone as ISO 8601 has it, of "Z", "+01", "+0100", "+01:00", "GMT" or nothing. */
static int convert_zone(const char *text, char out[8])
{
    text += strspn(text, " :");
    out[0] = '\0';
    if (!*text) {
        return 1;
    }
    if (!strcmp(text, "Z") || !strcasecmp(text, "GMT") || !strcasecmp(text, "UT") || !strcasecmp(text, "UTC")) {
        memcpy(out, "Z", 2);
        return 1;
    }
    if (*text != '+' && *text != '-') {
        return 0;
    }
    int has_minutes = fits(text + 1, "0000") || fits(text + 1, "00:00");
    const char *minutes = has_minutes ? text + strlen(text) - 2 : "00";
    size_t length = strlen(text);
    if (!fits(text + 1, "00") || (!has_minutes && length != 3) || length > 6) {
        return 0;
    }
    snprintf(out, 8, "%c%.2s:%.2s", *text, text + 1, minutes);
    return 1;
}

static int write_moment(const moment *m, const char *zone, char out[40])
{
    char iso_zone[8];
    if (!is_possible(m) || !convert_zone(zone, iso_zone)) {
        return 0;
    }
    snprintf(out, 40, "%04u-%02u-%02uT%02u:%02u:%02u%s", m->year, m->month, m->day, m->hour, m->minute, m->second,
             iso_zone);
    return 1;
}

/* ISO 8601 as XMP has it: a year, and what follows to any depth. */
static int is_iso(const char *text)
{
    static const char *const forms[] = {"0000", "0000-00", "0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00"};
    size_t n = strlen(text);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t form = strlen(forms[i]);
        char zone[8];
        if (n < form || !fits(text, forms[i])) {
            continue;
        }
        const char *rest = text + form;
        if (form == 19 && *rest == '.') {
            rest += 1 + strspn(rest + 1, "0123456789");
        }
        if (!*rest || (form >= 16 && (*rest == 'Z' || *rest == '+' || *rest == '-') && convert_zone(rest, zone) &&
                       !strcmp(rest, zone))) {
            return n < 40;
        }
    }
    return 0;
}

/* "[Tue, ]27 Jun 2006 11:58:42 GMT" (RFC 1123, the form that PNG proposes). */
static int convert_mail_date(const char *text, char out[40])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const char *comma = strchr(text, ',');
    char name[4] = "";
    moment m;
    int used = 0;
    text = comma ? comma + 1 : text;
    if (sscanf(text, " %2u %3[A-Za-z] %4u %2u:%2u:%2u%n", &m.day, name, &m.year, &m.hour, &m.minute, &m.second,
               &used) != 6 ||
        strlen(name) != 3) {
        return 0;
    }
    for (m.month = 1; m.month <= 12; m.month++) {
        if (!strncasecmp(name, months + 3 * (size_t)(m.month - 1), 3)) {
            return write_moment(&m, text + used, out);
        }
    }
    return 0;
}

int wvl_metadata_convert_date(const char *text, char out[40])
{
    moment m;
    if (is_iso(text)) {
        snprintf(out, 40, "%s", text);
        return 1;
    }
    if (fits(text, "0000:00:00 00:00:00") || fits(text, "0000:00:00:00:00:00") || fits(text, "0000-00-00 00:00:00")) {
        char zone[8];
        /* "YYYY:MM:DD HH:MM:SS" and the like, numbers at fixed places. */
        m = (moment){digits(text, 4),      digits(text + 5, 2),  digits(text + 8, 2),
                     digits(text + 11, 2), digits(text + 14, 2), digits(text + 17, 2)};
        return write_moment(&m, convert_zone(text + 19, zone) ? zone : "", out); /* DPX may name the zone by letters */
    }
    return convert_mail_date(text, out);
}

/* How a property holds its text. */
typedef enum form { FORM_NONE, FORM_TEXT, FORM_DATE, FORM_LIST, FORM_LANGUAGES } form;

typedef struct property {
    const char *prefix, *space, *local;
    form form;
} property;

#define DC "dc", "http://purl.org/dc/elements/1.1/"
#define XMP "xmp", "http://ns.adobe.com/xap/1.0/"
#define TIFF "tiff", "http://ns.adobe.com/tiff/1.0/"

/* XMP Specification Part 3, table of TIFF and of PNG; Part 2 for the schemas. */
static const property properties[WVL_IO_FIELD_COUNT] = {
    [WVL_IO_FIELD_TITLE] = {DC, "title", FORM_LANGUAGES},
    [WVL_IO_FIELD_ARTIST] = {DC, "creator", FORM_LIST},
    [WVL_IO_FIELD_COPYRIGHT] = {DC, "rights", FORM_LANGUAGES},
    [WVL_IO_FIELD_DESCRIPTION] = {DC, "description", FORM_LANGUAGES},
    [WVL_IO_FIELD_COMMENT] = {"exif", "http://ns.adobe.com/exif/1.0/", "UserComment", FORM_LANGUAGES},
    [WVL_IO_FIELD_CREATED] = {XMP, "CreateDate", FORM_DATE},
    [WVL_IO_FIELD_MODIFIED] = {XMP, "ModifyDate", FORM_DATE},
    [WVL_IO_FIELD_SOFTWARE] = {XMP, "CreatorTool", FORM_TEXT},
    [WVL_IO_FIELD_MAKE] = {TIFF, "Make", FORM_TEXT},
    [WVL_IO_FIELD_MODEL] = {TIFF, "Model", FORM_TEXT},
    [WVL_IO_FIELD_SERIAL] = {"aux", "http://ns.adobe.com/exif/1.0/aux/", "SerialNumber", FORM_TEXT},
    [WVL_IO_FIELD_PROJECT] = {"xmpDM", "http://ns.adobe.com/xmp/1.0/DynamicMedia/", "projectName", FORM_TEXT},
};

/* ---- What the packet has --------------------------------------------------------------------- */

void wvl_metadata_find_prefixes(wvl_xml_span document, const char *space, wvl_xmp_prefixes *prefixes)
{
    wvl_xml_tag tag;
    wvl_xml_span name, value;
    memset(prefixes, 0, sizeof *prefixes);
    for (size_t at = 0; wvl_xml_next_tag(document, &at, &tag) > 0;) {
        for (size_t next = 0; wvl_xml_next_attribute(&tag, &next, &name, &value) > 0;) {
            /* An attribute "xmlns:p" with the namespace as its value, or "xmlns". */
            wvl_xml_span before, local = wvl_xml_local_name(name, &before);
            int is_default = wvl_xml_is(name, "xmlns");
            if (wvl_xml_is(value, space) && (is_default || wvl_xml_is(before, "xmlns")) &&
                prefixes->count < sizeof prefixes->items / sizeof prefixes->items[0]) {
                prefixes->items[prefixes->count++] = is_default ? (wvl_xml_span){"", 0} : local;
            }
        }
    }
}

int wvl_metadata_is_named(const wvl_xmp_prefixes *prefixes, wvl_xml_span name, const char *local)
{
    wvl_xml_span prefix, rest = wvl_xml_local_name(name, &prefix);
    for (size_t i = 0; wvl_xml_is(rest, local) && i < prefixes->count; i++) {
        const wvl_xml_span *p = &prefixes->items[i];
        if (p->bytes == prefix.bytes && !memcmp(p->at, prefix.at, prefix.bytes)) {
            return 1;
        }
    }
    return 0;
}

/* 1: the document has the property, as an element or an attribute. */
static int has_property(wvl_xml_span document, const property *p)
{
    wvl_xml_tag tag;
    wvl_xml_span name, value;
    wvl_xmp_prefixes prefixes;
    wvl_metadata_find_prefixes(document, p->space, &prefixes);
    for (size_t at = 0; prefixes.count && wvl_xml_next_tag(document, &at, &tag) > 0;) {
        if (wvl_metadata_is_named(&prefixes, tag.name, p->local)) {
            return 1;
        }
        for (size_t next = 0; wvl_xml_next_attribute(&tag, &next, &name, &value) > 0;) {
            if (wvl_metadata_is_named(&prefixes, name, p->local)) {
                return 1;
            }
        }
    }
    return 0;
}

/* An XML declaration names an encoding other than UTF-8. */
static int declares_other(wvl_xml_span document)
{
    char head[256];
    size_t n = document.bytes < sizeof head ? document.bytes : sizeof head - 1;
    memcpy(head, document.at, n);
    head[n] = '\0';
    const char *start = strncmp(head, "\xEF\xBB\xBF", 3) == 0 ? head + 3 : head;
    char *end = strncmp(start, "<?xml", 5) == 0 ? strstr(head, "?>") : NULL;
    if (!end) {
        return 0;
    }
    *end = '\0';
    const char *encoding = strstr(start, "encoding");
    return encoding && !strstr(encoding, "UTF-8") && !strstr(encoding, "utf-8");
}

int wvl_metadata_is_xmp_text(wvl_io_blob packet)
{
    const char *text = (const char *)packet.data;
    wvl_xml_span document = {text, packet.bytes};
    wvl_xml_tag tag;
    size_t at = 0, tags = 0;
    int found;
    if (!packet.bytes || memchr(text, 0, packet.bytes) || declares_other(document)) {
        return 0; /* UTF-16, UTF-32 or another encoding */
    }
    while ((found = wvl_xml_next_tag(document, &at, &tag)) > 0) {
        tags++;
    }
    return found == 0 && tags != 0;
}

/* ---- What is added --------------------------------------------------------------------------- */

static void put_element(wvl_text *out, const property *p, const char *value)
{
    static const char *const before[] = {"", "", "", "<rdf:Seq><rdf:li>", "<rdf:Alt><rdf:li xml:lang=\"x-default\">"};
    static const char *const after[] = {"", "", "", "</rdf:li></rdf:Seq>", "</rdf:li></rdf:Alt>"};
    wvl_text_print(out, "  <%s:%s xmlns:%s=\"%s\">%s", p->prefix, p->local, p->prefix, p->space, before[p->form]);
    wvl_text_put_escaped(out, value);
    wvl_text_print(out, "%s</%s:%s>\n", after[p->form], p->prefix, p->local);
}

/* A field that came before: 1 and, where it says something else, it is named as lost. */
static int came_before(const wvl_io_metadata *m, size_t index, char *lost, size_t lost_bytes)
{
    for (size_t i = 0; i < index; i++) {
        if (m->texts[i].field == m->texts[index].field) {
            if (strcmp(m->texts[i].value, m->texts[index].value) != 0) {
                wvl_io_add_name(lost, lost_bytes, m->texts[index].name);
            }
            return 1;
        }
    }
    return 0;
}

/* Those of the texts that the document (bytes 0: none) has not, as elements. */
static void put_elements(wvl_text *out, wvl_xml_span document, const wvl_io_metadata *m, char *lost, size_t lost_bytes)
{
    for (size_t i = 0; i < m->text_count; i++) {
        const property *p = &properties[m->texts[i].field];
        const char *value = m->texts[i].value;
        char date[40];
        if (p->form == FORM_NONE || (p->form == FORM_DATE && !wvl_metadata_convert_date(value, date))) {
            wvl_io_add_name(lost, lost_bytes, m->texts[i].name);
        } else if (!came_before(m, i, lost, lost_bytes) && !(document.bytes && has_property(document, p))) {
            put_element(out, p, p->form == FORM_DATE ? date : value);
        }
    }
}

#define PACKET_ID "W5M0MpCehiHzreSzNTczkc9d"

/* ---- Into a packet --------------------------------------------------------------------------- */

typedef struct place {
    size_t at;          /* where the last rdf:RDF closes */
    wvl_xml_span about; /* of the first description, without its quotes */
    char quote;
} place;

static int find_place(wvl_xml_span document, place *p)
{
    wvl_xml_tag tag;
    wvl_xml_span name, value;
    wvl_xmp_prefixes rdf;
    int found = 0, has_about = 0;
    wvl_metadata_find_prefixes(document, SPACE_RDF, &rdf);
    *p = (place){0, {"", 0}, '"'};
    for (size_t at = 0; wvl_xml_next_tag(document, &at, &tag) > 0;) {
        if (tag.closes && wvl_metadata_is_named(&rdf, tag.name, "RDF")) {
            p->at = (size_t)(tag.whole.at - document.at);
            found = 1;
        }
        for (size_t next = 0; !has_about && wvl_xml_next_attribute(&tag, &next, &name, &value) > 0;) {
            if (wvl_metadata_is_named(&rdf, name, "about")) {
                p->about = value;
                p->quote = value.at[value.bytes];
                has_about = 1;
            }
        }
    }
    return found;
}

/* Padding before the closing instruction of the packet that may go: what was added then keeps the packet's length. */
static size_t find_padding(wvl_xml_span document, size_t after, size_t wanted, size_t *at)
{
    size_t end = document.bytes, start, found = 0;
    for (size_t i = after; i + 13 <= document.bytes; i++) {
        if (!memcmp(document.at + i, "<?xpacket end", 13)) {
            end = i;
            found = 1;
        }
    }
    for (start = end; found && start > after && memchr(" \t\r\n", document.at[start - 1], 4); start--) {
    }
    size_t room = found && end > start ? end - start - 1 : 0; /* one line end stays */
    room = room < wanted ? room : wanted;
    *at = end - room - (found && end > start);
    return room;
}

static void name_texts(const wvl_io_metadata *m, char *lost, size_t lost_bytes)
{
    for (size_t i = 0; i < m->text_count; i++) {
        wvl_io_add_name(lost, lost_bytes, m->texts[i].name);
    }
}

/* A packet with a document type may have had what looked like tags where there are none: 1, or 0 and *out is empty
 * again. */
static int is_still_sound(wvl_text *out)
{
    char reason[128];
    size_t bytes = out->bytes;
    int result = out->failed ? 0 : wvl_io_check_xml(out->data, &bytes, reason, sizeof reason);
    out->failed |= result < 0;
    if (result > 0) {
        free(out->data);
        *out = (wvl_text){NULL, 0, 0, 0};
    }
    return result <= 0;
}

int wvl_metadata_add_to_xmp(wvl_io_blob packet, const wvl_io_metadata *metadata, wvl_text *out, char *lost,
                            size_t lost_bytes)
{
    wvl_xml_span document = {(const char *)packet.data, packet.bytes};
    wvl_text elements = {NULL, 0, 0, 0};
    place p = {0, {"", 0}, '"'};
    int can_merge = !packet.bytes || (wvl_metadata_is_xmp_text(packet) && find_place(document, &p));
    if (!can_merge) {
        name_texts(metadata, lost, lost_bytes);
        return 0;
    }
    put_elements(&elements, document, metadata, lost, lost_bytes);
    if (elements.bytes && !packet.bytes) {
        /* fixed by ISO 16684-1, 7.3.2 */
        wvl_text_put(out, "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"" PACKET_ID "\"?>\n"
                          "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n<rdf:RDF xmlns:rdf=\"" SPACE_RDF "\">\n"
                          " <rdf:Description rdf:about=\"\">\n");
        wvl_text_put_bytes(out, elements.data, elements.bytes);
        wvl_text_put(out, " </rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>\n");
        out->failed |= elements.failed;
    } else if (elements.bytes) {
        wvl_text added = {NULL, 0, 0, elements.failed};
        size_t cut;
        wvl_text_put(&added, "<rdf:Description xmlns:rdf=\"" SPACE_RDF "\" rdf:about=");
        wvl_text_put_bytes(&added, &p.quote, 1);
        wvl_text_put_bytes(&added, p.about.at, p.about.bytes);
        wvl_text_put_bytes(&added, &p.quote, 1);
        wvl_text_put(&added, ">\n");
        wvl_text_put_bytes(&added, elements.data, elements.bytes);
        wvl_text_put(&added, " </rdf:Description>\n");
        size_t padding = find_padding(document, p.at, added.bytes, &cut);
        wvl_text_put_bytes(out, document.at, p.at);
        wvl_text_put_bytes(out, added.data, added.bytes);
        wvl_text_put_bytes(out, document.at + p.at, cut - p.at);
        wvl_text_put_bytes(out, document.at + cut + padding, document.bytes - cut - padding);
        out->failed |= added.failed;
        free(added.data);
        if (!is_still_sound(out)) {
            name_texts(metadata, lost, lost_bytes);
        }
    }
    int failed = out->failed || elements.failed;
    free(elements.data);
    return failed ? -1 : 0;
}
