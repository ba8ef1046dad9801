#!/usr/bin/env python3
"""Writes the table of times that the reader of times is held against: times.jsonl.

Each line is a text with its language, the moment and offset at which it is said, and what it means: the first and the last
day ("2024-03-11/2024-03-12", ".." for an end that is open), the minute at which it begins where it names one, "doubt" where
it has more than one meaning, "none" where it names no time. The expectations are computed here from Python's calendar by
the definitions of src/language/times/times.h, not by the reader.

Usage: make_times.py > times.jsonl
"""
import calendar
import json
from datetime import date, timedelta

ANCHORS = [date(2024, 3, 13), date(2024, 2, 29), date(2023, 12, 31), date(2025, 1, 1), date(2024, 7, 1), date(2022, 10, 8),
           date(2024, 5, 31), date(2023, 3, 30)]
LANGUAGES = ["en", "de", "fr", "es", "zh"]


def days(first, last=None):
    return f"{first.isoformat()}/{(last or first).isoformat()}"


def monday(day):
    return day - timedelta(days=day.weekday())


def week(day, steps):
    first = monday(day) + timedelta(weeks=steps)
    return days(first, first + timedelta(days=6))


def month_of(year, month):
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def month(day, steps):
    index = day.year * 12 + day.month - 1 + steps
    return days(*month_of(index // 12, index % 12 + 1))


def year(day, steps):
    return days(date(day.year + steps, 1, 1), date(day.year + steps, 12, 31))


def add_months(day, steps):
    index = day.year * 12 + day.month - 1 + steps
    first, last = month_of(index // 12, index % 12 + 1)
    return min(first + timedelta(days=day.day - 1), last)


def plus(day, count):
    return days(day + timedelta(days=count))


def weekday_before(day, weekday):
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def weekday_after(day, weekday):
    return day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)


def last_month_named(day, month_number):
    at = day.year if month_number <= day.month else day.year - 1
    return days(*month_of(at, month_number))


def next_month_named(day, month_number):
    at = day.year if month_number >= day.month else day.year + 1
    return days(*month_of(at, month_number))


def at(day, hour, minute=0):
    return f"{day.isoformat()}/{day.isoformat()} {hour:02}:{minute:02}"


FULL = date(2024, 8, 17)  # a Saturday
CONCEPTS = {
    "day_before_yesterday": lambda d: plus(d, -2),
    "yesterday": lambda d: plus(d, -1),
    "today": lambda d: plus(d, 0),
    "tomorrow": lambda d: plus(d, 1),
    "day_after_tomorrow": lambda d: plus(d, 2),
    "last_week": lambda d: week(d, -1),
    "this_week": lambda d: week(d, 0),
    "next_week": lambda d: week(d, 1),
    "week_before_last": lambda d: week(d, -2),
    "last_month": lambda d: month(d, -1),
    "next_month": lambda d: month(d, 1),
    "last_year": lambda d: year(d, -1),
    "next_year": lambda d: year(d, 1),
    "four_days_ago": lambda d: plus(d, -4),
    "twentythree_days_ago": lambda d: plus(d, -23),
    "in_five_days": lambda d: plus(d, 5),
    "in_two_weeks": lambda d: plus(d, 14),
    "three_weeks_ago": lambda d: week(d, -3),
    "three_months_ago": lambda d: month(d, -3),
    "ten_years_ago": lambda d: year(d, -10),
    "half_a_year_ago": lambda d: month(d, -6),
    "last_7_days": lambda d: days(d - timedelta(days=7), d),
    "last_three_months": lambda d: days(add_months(d, -3), d),
    "next_ten_days": lambda d: days(d, d + timedelta(days=10)),
    "last_friday": lambda d: days(weekday_before(d, 4)),
    "next_friday": lambda d: days(weekday_after(d, 4)),
    "friday_of_last_week": lambda d: days(monday(d) + timedelta(days=-3)),
    "friday_of_next_week": lambda d: days(monday(d) + timedelta(days=11)),
    "past_monday": lambda d: days(weekday_before(d, 0)),
    "coming_monday": lambda d: days(weekday_after(d, 0)),
    "full_date": lambda d: days(FULL),
    "weekday_date": lambda d: days(FULL),
    "wrong_weekday": lambda d: "doubt",
    "month_year": lambda d: days(date(2023, 5, 1), date(2023, 5, 31)),
    "past_month": lambda d: last_month_named(d, 6),
    "coming_month": lambda d: next_month_named(d, 2),
    "month_last_year": lambda d: days(*month_of(d.year - 1, 5)),
    "year": lambda d: days(date(2019, 1, 1), date(2019, 12, 31)),
    "iso": lambda d: days(date(2023, 5, 7)),
    "sure_numeric": lambda d: days(date(2024, 4, 23)),
    "unsure_numeric": lambda d: "doubt",
    "day_first_numeric": lambda d: days(date(2024, 4, 3)),
    "since_monday": lambda d: f"{weekday_before(d, 0).isoformat()}/..",
    "since_date": lambda d: "2021-08-17/.." if d >= date(2021, 8, 17) else "none",
    "until_date": lambda d: f"../{FULL.isoformat()}",
    "before_date": lambda d: f"../{(FULL - timedelta(days=1)).isoformat()}",
    "after_date": lambda d: f"{(FULL + timedelta(days=1)).isoformat()}/..",
    "day_range": lambda d: days(date(2024, 5, 3), date(2024, 5, 9)),
    "month_range": lambda d: days(date(2023, 5, 1), date(2023, 7, 31)),
    "year_range": lambda d: days(date(2019, 1, 1), date(2021, 12, 31)),
    "quarter": lambda d: days(date(2024, 4, 1), date(2024, 6, 30)),
    "begin_of_month": lambda d: days(date(2024, 3, 1), date(2024, 3, 10)),
    "end_of_month": lambda d: days(date(2024, 2, 21), date(2024, 2, 29)),
    "this_morning": lambda d: at(d, 6),
    "yesterday_evening": lambda d: at(d - timedelta(days=1), 18),
    "yesterday_at_three": lambda d: at(d - timedelta(days=1), 15),
    "tomorrow_at_half_past_nine": lambda d: at(d + timedelta(days=1), 9, 30),
    "tomorrow_at_some_half_past_nine": lambda d: plus(d, 1),  # of 12 hours or of 24
    "none": lambda d: "none",
    "no_such_day": lambda d: "none",
    "undecided": lambda d: "doubt",
    "week_after_next": lambda d: week(d, 2),
    "two_days_before": lambda d: days(FULL - timedelta(days=2)),
    "day_before": lambda d: days(FULL - timedelta(days=1)),
}

# concept: the texts, each said at one of the anchors in turn.
TEXTS = {
    "en": {
        "day_before_yesterday": ["The day before yesterday I saw a hedgehog.", "We sold it the day before yesterday."],
        "yesterday": ["Yesterday we watched fireworks.", "I called her yesterday, but she was out."],
        "tomorrow": ["Tomorrow I fly to Oslo."],
        "day_after_tomorrow": ["The day after tomorrow we move."],
        "last_week": ["Last week the roof leaked.", "We talked about it last week"],
        "this_week": ["I am busy this week."],
        "next_week": ["The painters come next week."],
        "week_before_last": ["The week before last we hiked."],
        "week_after_next": ["They arrive the week after next."],
        "last_month": ["Sales fell last month.", "Last month was wet."],
        "next_month": ["The lease ends next month."],
        "last_year": ["Last year we had two dogs."],
        "next_year": ["I retire next year."],
        "four_days_ago": ["Four days ago the parcel left.", "It broke 4 days ago."],
        "twentythree_days_ago": ["I planted it twenty-three days ago."],
        "in_five_days": ["The exam is in five days."],
        "in_two_weeks": ["In two weeks the lease ends.", "A fortnight from today I leave.", "We open in a fortnight."],
        "three_weeks_ago": ["Three weeks ago I had a cold."],
        "three_months_ago": ["She joined three months ago."],
        "ten_years_ago": ["Ten years ago this was a field."],
        "half_a_year_ago": ["Half a year ago I moved."],
        "last_7_days": ["Over the past 7 days I read three novels.", "It rained on each of the last seven days."],
        "last_three_months": ["Revenue of the last three months"],
        "next_ten_days": ["The forecast for the next ten days"],
        "last_friday": ["Last Friday the server died."],
        "next_friday": ["Next Friday we have the concert.", "This coming Friday I have a test."],
        "friday_of_last_week": ["We spoke on Friday of last week."],
        "friday_of_next_week": ["The review is on Friday next week."],
        "past_monday": ["On Monday we met.", "The invoices were paid on Monday."],
        "coming_monday": ["We will meet on Monday.", "I'm going to sign it on Monday."],
        "full_date": ["The wedding is on 17 August 2024.", "August 17th, 2024 was hot.", "We dine on the 17th of August, 2024."],
        "weekday_date": ["Saturday, 17 August 2024", "on Saturday, August 17, 2024"],
        "wrong_weekday": ["on Monday, 17 August 2024"],
        "month_year": ["I lived there in May 2023.", "The report of May, 2023"],
        "past_month": ["I was in Rome in June."],
        "coming_month": ["We will marry in February."],
        "month_last_year": ["In May last year it snowed."],
        "year": ["She was hired in 2019."],
        "iso": ["The log of 2023-05-07 is gone."],
        "sure_numeric": ["Signed on 4/23/2024.", "Signed on 23/4/2024.", "It was 23.4.2024."],
        "unsure_numeric": ["On 3/4/2024 I signed.", "Due 3/4/24."],
        "since_monday": ["Since Monday the heating is off."],
        "since_date": ["I have worked here since 17 August 2021."],
        "until_date": ["The ticket is valid until 17 August 2024."],
        "before_date": ["Return it before 17 August 2024."],
        "after_date": ["Nothing happened after August 17, 2024."],
        "two_days_before": ["Two days before 17 August 2024 he called."],
        "day_before": ["The day before 17 August 2024 he called."],
        "day_range": ["We are away from 3 to 9 May 2024.", "May 3-9, 2024", "3-9 May 2024"],
        "month_range": ["between May and July 2023"],
        "year_range": ["the winters from 2019 to 2021"],
        "quarter": ["Q2 2024 was good.", "the second quarter of 2024"],
        "begin_of_month": ["in early March 2024"],
        "end_of_month": ["at the end of February 2024"],
        "this_morning": ["This morning I baked bread."],
        "yesterday_evening": ["Yesterday evening we played chess."],
        "yesterday_at_three": ["He rang yesterday at 3 pm."],
        "tomorrow_at_some_half_past_nine": ["We start tomorrow at 9:30."],
        "none": ["April called me about the car.", "It may rain, and the march is long.", "I have 2000 books and version 1.11.2.",
                 "Every Monday we sing.", "A few days ago I slept badly.", "I sat in the sun for a second."],
        "no_such_day": ["on 31 February 2024"],
        "undecided": ["On the 15th, perhaps.", "Monday, chess club"],
    },
    "de": {
        "day_before_yesterday": ["Vorgestern habe ich einen Igel gesehen.", "Das war vorgestern."],
        "yesterday": ["Gestern gab es Feuerwerk.", "Ich habe sie gestern angerufen."],
        "today": ["Heute ist es kalt."],
        "tomorrow": ["Morgen fliege ich nach Oslo."],
        "day_after_tomorrow": ["Übermorgen ziehen wir um."],
        "last_week": ["Letzte Woche war das Dach undicht.", "In der vergangenen Woche hat es geregnet."],
        "this_week": ["Diese Woche habe ich keine Zeit."],
        "next_week": ["Nächste Woche kommen die Maler.", "Das machen wir kommende Woche."],
        "week_before_last": ["Vorletzte Woche waren wir wandern."],
        "week_after_next": ["Sie kommen übernächste Woche."],
        "last_month": ["Letzten Monat war es nass.", "Im vergangenen Monat fiel der Umsatz."],
        "next_month": ["Nächsten Monat endet der Vertrag."],
        "last_year": ["Letztes Jahr hatten wir zwei Hunde."],
        "next_year": ["Nächstes Jahr gehe ich in Rente."],
        "four_days_ago": ["Vor vier Tagen kam das Paket an.", "Es ist vor 4 Tagen kaputtgegangen."],
        "twentythree_days_ago": ["Ich habe ihn vor dreiundzwanzig Tagen gepflanzt."],
        "in_five_days": ["In fünf Tagen ist die Prüfung."],
        "in_two_weeks": ["In zwei Wochen endet der Mietvertrag.", "Heute in zwei Wochen bin ich weg."],
        "three_weeks_ago": ["Vor drei Wochen war ich erkältet."],
        "three_months_ago": ["Sie hat vor drei Monaten angefangen."],
        "ten_years_ago": ["Vor zehn Jahren war hier ein Feld."],
        "half_a_year_ago": ["Vor einem halben Jahr bin ich umgezogen."],
        "last_7_days": ["In den letzten sieben Tagen habe ich drei Romane gelesen.", "die letzten 7 Tage"],
        "last_three_months": ["der Umsatz der vergangenen drei Monate"],
        "next_ten_days": ["die Vorhersage für die nächsten zehn Tage"],
        "last_friday": ["Letzten Freitag fiel der Server aus."],
        "next_friday": ["Nächsten Freitag ist das Konzert.", "Kommenden Freitag habe ich frei."],
        "friday_of_last_week": ["Wir sprachen am Freitag letzter Woche."],
        "friday_of_next_week": ["Freitag nächster Woche ist die Prüfung."],
        "past_monday": ["Am Montag haben wir uns getroffen.", "Am Montag war ich krank."],
        "coming_monday": ["Wir werden uns am Montag treffen.", "Am Montag muss ich zum Arzt."],
        "full_date": ["Die Hochzeit ist am 17. August 2024.", "Am 17.8.2024 war es heiß.", "den siebzehnten August 2024"],
        "weekday_date": ["Samstag, den 17. August 2024", "am Samstag, 17.08.2024"],
        "wrong_weekday": ["Montag, den 17. August 2024"],
        "month_year": ["Im Mai 2023 wohnte ich dort.", "der Bericht vom Mai 2023"],
        "past_month": ["Im Juni war ich in Rom."],
        "coming_month": ["Im Februar werden wir heiraten."],
        "month_last_year": ["Im Mai letzten Jahres hat es geschneit."],
        "year": ["Sie wurde im Jahr 2019 eingestellt.", "Das war in 2019."],
        "iso": ["Das Protokoll vom 2023-05-07 fehlt."],
        "sure_numeric": ["am 23.4.2024 unterschrieben", "am 23/4/2024"],
        "day_first_numeric": ["Am 3.4.2024 habe ich unterschrieben.", "bezahlt am 03.04.24"],
        "since_monday": ["Seit Montag ist die Heizung aus."],
        "since_date": ["Ich arbeite seit dem 17. August 2021 hier."],
        "until_date": ["Die Karte gilt bis zum 17. August 2024."],
        "before_date": ["Bitte vor dem 17. August 2024 zurückgeben."],
        "after_date": ["Nach dem 17. August 2024 geschah nichts."],
        "two_days_before": ["Zwei Tage vor dem 17. August 2024 rief er an."],
        "day_range": ["Wir sind vom 3. bis 9. Mai 2024 weg.", "3.-9. Mai 2024"],
        "month_range": ["zwischen Mai und Juli 2023", "von Mai bis Juli 2023"],
        "year_range": ["die Winter 2019 bis 2021"],
        "quarter": ["Q2 2024 war gut.", "im zweiten Quartal 2024", "das 2. Quartal 2024"],
        "begin_of_month": ["Anfang März 2024"],
        "end_of_month": ["Ende Februar 2024"],
        "this_morning": ["Heute Morgen habe ich Brot gebacken."],
        "yesterday_evening": ["Gestern Abend haben wir Schach gespielt."],
        "yesterday_at_three": ["Er rief gestern um 15 Uhr an."],
        "tomorrow_at_half_past_nine": ["Wir beginnen morgen um 9:30 Uhr."],
        "none": ["Guten Morgen, wie geht es?", "Ich habe 2000 Bücher und Version 1.11.2.", "Jeden Montag singen wir.",
                 "Vor Tagen schlief ich schlecht.", "Am Abend lese ich gern."],
        "no_such_day": ["am 31. Februar 2024"],
        "undecided": ["Montag, Schachklub", "Am 15., vielleicht."],
    },
    "fr": {
        "day_before_yesterday": ["Avant-hier, j'ai vu un hérisson.", "C'était avant-hier."],
        "yesterday": ["Hier, il y a eu un feu d'artifice.", "Je l'ai appelée hier."],
        "today": ["Aujourd'hui il fait froid."],
        "tomorrow": ["Demain je pars à Oslo."],
        "day_after_tomorrow": ["Après-demain nous déménageons."],
        "last_week": ["La semaine dernière, le toit fuyait.", "On en a parlé la semaine passée."],
        "this_week": ["Je suis occupé cette semaine."],
        "next_week": ["Les peintres viennent la semaine prochaine."],
        "last_month": ["Le mois dernier a été humide.", "Les ventes ont baissé le mois passé."],
        "next_month": ["Le bail se termine le mois prochain."],
        "last_year": ["L'année dernière, nous avions deux chiens.", "L'an dernier, il a plu."],
        "next_year": ["L'année prochaine, je prends ma retraite."],
        "four_days_ago": ["Il y a quatre jours, le colis est parti.", "Il y a 4 jours, c'était cassé."],
        "twentythree_days_ago": ["Je l'ai planté il y a vingt-trois jours."],
        "in_five_days": ["L'examen est dans cinq jours."],
        "in_two_weeks": ["Dans deux semaines, le bail se termine.", "Je pars dans quinze jours."],
        "three_weeks_ago": ["Il y a trois semaines, j'avais un rhume."],
        "three_months_ago": ["Elle est arrivée il y a trois mois."],
        "ten_years_ago": ["Il y a dix ans, c'était un champ."],
        "half_a_year_ago": ["Il y a six mois, j'ai déménagé."],
        "last_7_days": ["Ces 7 derniers jours, j'ai lu trois romans.", "au cours des sept derniers jours"],
        "last_three_months": ["le chiffre d'affaires des trois derniers mois"],
        "next_ten_days": ["la météo des dix prochains jours"],
        "last_friday": ["Vendredi dernier, le serveur est tombé."],
        "next_friday": ["Vendredi prochain, c'est le concert.", "Le test est vendredi prochain."],
        "friday_of_last_week": ["On s'est parlé vendredi de la semaine dernière."],
        "friday_of_next_week": ["La revue est le vendredi de la semaine prochaine."],
        "past_monday": ["Lundi, nous avons rencontré Paul.", "J'étais malade lundi."],
        "coming_monday": ["Nous allons nous voir lundi.", "Lundi, je dois aller chez le médecin."],
        "full_date": ["Le mariage est le 17 août 2024.", "Il faisait chaud le 17 août 2024."],
        "weekday_date": ["samedi 17 août 2024", "le samedi 17 août 2024"],
        "wrong_weekday": ["lundi 17 août 2024"],
        "month_year": ["En mai 2023, j'habitais là.", "le rapport de mai 2023"],
        "past_month": ["J'étais à Rome en juin."],
        "coming_month": ["Nous allons nous marier en février."],
        "month_last_year": ["En mai de l'année dernière, il a neigé.", "en mai de l'an dernier"],
        "year": ["Elle a été embauchée en 2019."],
        "iso": ["Le journal du 2023-05-07 a disparu."],
        "sure_numeric": ["signé le 23/04/2024", "signé le 23.4.2024"],
        "day_first_numeric": ["Le 3/4/2024, j'ai signé.", "payé le 03/04/24"],
        "since_monday": ["Depuis lundi, le chauffage est coupé."],
        "since_date": ["Je travaille ici depuis le 17 août 2021."],
        "until_date": ["Le billet est valable jusqu'au 17 août 2024."],
        "before_date": ["À rendre avant le 17 août 2024."],
        "after_date": ["Rien ne s'est passé après le 17 août 2024."],
        "two_days_before": ["Deux jours avant le 17 août 2024, il a appelé."],
        "day_before": ["La veille du 17 août 2024, il a appelé."],
        "day_range": ["Nous sommes absents du 3 au 9 mai 2024.", "3-9 mai 2024"],
        "month_range": ["entre mai et juillet 2023", "de mai à juillet 2023"],
        "year_range": ["les hivers de 2019 à 2021"],
        "quarter": ["T2 2024 était bon.", "le deuxième trimestre de 2024", "au 2e trimestre 2024"],
        "begin_of_month": ["début mars 2024"],
        "end_of_month": ["à la fin de février 2024", "fin février 2024"],
        "this_morning": ["Ce matin, j'ai fait du pain."],
        "yesterday_evening": ["Hier soir, nous avons joué aux échecs."],
        "yesterday_at_three": ["Il a appelé hier à 15 heures."],
        "tomorrow_at_half_past_nine": ["Nous commençons demain à 9:30."],
        "none": ["J'ai 2000 livres et la version 1.11.2.", "Chaque lundi, nous chantons.", "Il y a quelques jours, j'ai mal dormi.",
                 "Tous les lundis on chante.", "Bonne journée !"],
        "no_such_day": ["le 31 février 2024"],
        "undecided": ["Lundi, club d'échecs"],
    },
    "es": {
        "day_before_yesterday": ["Anteayer vi un erizo.", "Fue antes de ayer."],
        "yesterday": ["Ayer hubo fuegos artificiales.", "La llamé ayer."],
        "today": ["Hoy hace frío."],
        "tomorrow": ["Mañana viajo a Oslo."],
        "day_after_tomorrow": ["Pasado mañana nos mudamos."],
        "last_week": ["La semana pasada goteaba el techo.", "Hablamos de eso la semana pasada."],
        "this_week": ["Estoy ocupado esta semana."],
        "next_week": ["Los pintores vienen la próxima semana.", "Nos vemos la semana que viene."],
        "last_month": ["El mes pasado fue húmedo.", "Las ventas cayeron el mes pasado."],
        "next_month": ["El contrato termina el próximo mes.", "el mes que viene"],
        "last_year": ["El año pasado teníamos dos perros."],
        "next_year": ["El año que viene me jubilo."],
        "four_days_ago": ["Hace cuatro días salió el paquete.", "Se rompió hace 4 días."],
        "twentythree_days_ago": ["Lo planté hace veintitrés días."],
        "in_five_days": ["El examen es dentro de cinco días."],
        "in_two_weeks": ["En dos semanas termina el contrato.", "Me voy dentro de quince días."],
        "three_weeks_ago": ["Hace tres semanas tuve un resfriado."],
        "three_months_ago": ["Ella llegó hace tres meses."],
        "ten_years_ago": ["Hace diez años esto era un campo."],
        "half_a_year_ago": ["Hace medio año me mudé."],
        "last_7_days": ["En los últimos 7 días leí tres novelas.", "los últimos siete días"],
        "last_three_months": ["los ingresos de los últimos tres meses"],
        "next_ten_days": ["el pronóstico de los próximos diez días"],
        "last_friday": ["El viernes pasado se cayó el servidor."],
        "next_friday": ["El próximo viernes es el concierto.", "El viernes que viene tengo un examen."],
        "friday_of_last_week": ["Hablamos el viernes de la semana pasada."],
        "friday_of_next_week": ["La revisión es el viernes de la próxima semana."],
        "past_monday": ["El lunes nos vimos.", "El lunes estuve enfermo."],
        "coming_monday": ["Vamos a vernos el lunes.", "El lunes tengo que ir al médico."],
        "full_date": ["La boda es el 17 de agosto de 2024.", "Hizo calor el 17 de agosto de 2024."],
        "weekday_date": ["sábado, 17 de agosto de 2024", "el sábado 17 de agosto de 2024"],
        "wrong_weekday": ["lunes, 17 de agosto de 2024"],
        "month_year": ["En mayo de 2023 vivía allí.", "el informe de mayo del 2023"],
        "past_month": ["Estuve en Roma en junio."],
        "coming_month": ["Nos casaremos en febrero."],
        "month_last_year": ["En mayo del año pasado nevó."],
        "year": ["La contrataron en 2019."],
        "iso": ["Falta el registro del 2023-05-07."],
        "sure_numeric": ["firmado el 23/04/2024", "firmado el 23.4.2024"],
        "day_first_numeric": ["El 3/4/2024 firmé.", "pagado el 03/04/24"],
        "since_monday": ["Desde el lunes no hay calefacción."],
        "since_date": ["Trabajo aquí desde el 17 de agosto de 2021."],
        "until_date": ["El billete vale hasta el 17 de agosto de 2024."],
        "before_date": ["Devuélvelo antes del 17 de agosto de 2024."],
        "after_date": ["No pasó nada después del 17 de agosto de 2024."],
        "two_days_before": ["Dos días antes del 17 de agosto de 2024 llamó."],
        "day_range": ["Estamos fuera del 3 al 9 de mayo de 2024.", "3-9 de mayo de 2024"],
        "month_range": ["entre mayo y julio de 2023", "de mayo a julio de 2023"],
        "year_range": ["los inviernos de 2019 a 2021"],
        "quarter": ["T2 2024 fue bueno.", "el segundo trimestre de 2024"],
        "begin_of_month": ["a principios de marzo de 2024"],
        "end_of_month": ["a finales de febrero de 2024"],
        "this_morning": ["Esta mañana hice pan."],
        "yesterday_at_three": ["Llamó ayer a las 3 de la tarde.", "Llamó ayer a las 15:00."],
        "tomorrow_at_some_half_past_nine": ["Empezamos mañana a las 9:30."],
        "none": ["Tengo 2000 libros y la versión 1.11.2.", "Cada lunes cantamos.", "Hace unos días dormí mal.", "Buenas noches a todos.",
                 "Todos los lunes cantamos.", "Trabajo por la mañana."],
        "no_such_day": ["el 31 de febrero de 2024"],
        "undecided": ["Lunes, club de ajedrez"],
    },
    "zh": {
        "day_before_yesterday": ["前天我看见一只刺猬。", "那是前天的事。"],
        "yesterday": ["昨天我们看了烟花。", "我昨天给她打了电话。"],
        "today": ["今天很冷。"],
        "tomorrow": ["明天我飞去奥斯陆。"],
        "day_after_tomorrow": ["后天我们搬家。", "後天我們搬家。"],
        "last_week": ["上周屋顶漏水了。", "上个星期我们谈过。"],
        "this_week": ["这周我很忙。", "本周没有会。"],
        "next_week": ["下周油漆工来。", "下个星期见。"],
        "week_before_last": ["上上周我们去爬山了。"],
        "week_after_next": ["他们下下周到。"],
        "last_month": ["上个月很潮湿。", "上月销售额下降了。"],
        "next_month": ["下个月合同到期。"],
        "last_year": ["去年我们有两只狗。"],
        "next_year": ["明年我退休。"],
        "four_days_ago": ["四天前包裹寄出了。", "它4天前坏了。"],
        "twentythree_days_ago": ["二十三天前我种了它。"],
        "in_five_days": ["五天后考试。"],
        "in_two_weeks": ["两周后租约到期。", "两个星期之后我走。"],
        "three_weeks_ago": ["三周前我感冒了。"],
        "three_months_ago": ["她三个月前来的。"],
        "ten_years_ago": ["十年前这里是一片田。"],
        "half_a_year_ago": ["半年前我搬家了。"],
        "last_7_days": ["过去7天我读了三本小说。", "最近七天的记录"],
        "last_three_months": ["最近三个月的收入"],
        "next_ten_days": ["未来十天的天气"],
        "friday_of_last_week": ["上周五服务器坏了。", "上星期五我们见过面。"],
        "friday_of_next_week": ["下周五有音乐会。", "下个星期五考试。"],
        "past_monday": ["周一我们见了面。"],
        "coming_monday": ["我们周一要见面。", "星期一我会去看医生。"],
        "full_date": ["婚礼在2024年8月17日。", "2024年8月17号很热。"],
        "weekday_date": ["2024年8月17日，星期六"],
        "wrong_weekday": ["2024年8月17日，星期一"],
        "month_year": ["2023年5月我住在那里。", "2023年五月的报告"],
        "past_month": ["我六月去了罗马。"],
        "coming_month": ["我们二月要结婚。"],
        "month_last_year": ["去年五月下雪了。", "去年5月下雪了。"],
        "year": ["她2019年入职。", "她二〇一九年入职。"],
        "iso": ["2023-05-07的日志不见了。"],
        "since_monday": ["自周一以来没有暖气。"],
        "since_date": ["从2021年8月17日起我在这里工作。", "自2021年8月17日以来"],
        "until_date": ["票有效期到2024年8月17日为止。"],
        "before_date": ["请在2024年8月17日之前归还。"],
        "after_date": ["2024年8月17日之后什么都没发生。"],
        "day_range": ["我们2024年5月3日至9日不在。", "2024年5月3日到9日"],
        "month_range": ["从2023年5月到2023年7月", "2023年5月至7月"],
        "year_range": ["2019年到2021年的冬天", "2019至2021年"],
        "quarter": ["2024年第二季度很好。", "2024年二季度"],
        "begin_of_month": ["2024年3月上旬", "2024年3月初"],
        "end_of_month": ["2024年2月下旬", "2024年2月底"],
        "this_morning": ["今天早上我烤了面包。", "今早我烤了面包。"],
        "yesterday_evening": ["昨天晚上我们下了棋。", "昨晚我们下了棋。"],
        "yesterday_at_three": ["他昨天下午三点打了电话。", "昨天下午3点"],
        "tomorrow_at_some_half_past_nine": ["我们明天9:30开始。"],
        "none": ["我有2000本书。", "每周一我们唱歌。", "几天前我没睡好。", "大家早上好。", "我们每天见面。"],
        "no_such_day": ["2024年2月31日"],
        "undecided": ["周一，象棋社"],
    },
}


# What is not the whole of what its words name: how long it took, years before Christ and of two digits, ranges over months, parts
# of months and years, weekdays that are only talked of. By hand, by the same definitions; said on Wednesday, 18 November 2026.
IN_PART = [
    ("en", "She ran it in one day.", "none"),
    ("en", "She wrote the book in two weeks.", "none"),
    ("en", "He learned it in three months.", "none"),
    ("en", "We built the house in two years.", "none"),
    ("en", "I finished it in three days.", "none"),
    ("en", "We will meet in two weeks.", "2026-12-02/2026-12-02"),
    ("en", "The release is in three days.", "2026-11-21/2026-11-21"),
    ("de", "Er hat das Buch in drei Tagen gelesen.", "none"),
    ("de", "Sie hat das Haus in zwei Jahren gebaut.", "none"),
    ("de", "Er schrieb es in zwei Wochen.", "none"),
    ("de", "Wir treffen uns in drei Tagen.", "2026-11-21/2026-11-21"),
    ("es", "Leyó el libro en tres días con su hermano.", "none"),
    ("es", "Construyó la casa en dos años.", "none"),
    ("es", "La reunión es en tres días.", "2026-11-21/2026-11-21"),
    ("fr", "Il a lu le livre en deux semaines.", "none"),
    ("fr", "La réunion est dans trois jours.", "2026-11-21/2026-11-21"),
    ("zh", "他三天后离开了。", "none"),
    ("zh", "我们三天后见。", "2026-11-21/2026-11-21"),
    ("en", "He died aged 45 in 1999 BC.", "none"),
    ("en", "In 1500 BCE the city fell.", "none"),
    ("en", "The wall of 1200 B.C. stands.", "none"),
    ("de", "Die Stadt fiel im Jahr 1200 v. Chr.", "none"),
    ("de", "Im Jahr 1200 vor Christus fiel die Stadt.", "none"),
    ("fr", "La ville tomba en 1200 av. J.-C.", "none"),
    ("fr", "La ville tomba en 1200 avant Jésus-Christ.", "none"),
    ("es", "La ciudad cayó en el año 1200 a. C.", "none"),
    ("es", "La ciudad cayó en 1200 antes de Cristo.", "none"),
    ("zh", "公元前1200年他去世了。", "none"),
    ("en", "I saw her on 3 May 24.", "none"),
    ("en", "I saw her on May 3 24.", "none"),
    ("en", "I saw her in May '24.", "2024-05-01/2024-05-31"),
    ("en", "I saw her on 3 May '24.", "2024-05-03/2024-05-03"),
    ("en", "I saw her on 3 May 2024.", "2024-05-03/2024-05-03"),
    ("de", "Ich sah sie am 3. Mai 24.", "none"),
    ("de", "Ich sah sie im Mai '24.", "2024-05-01/2024-05-31"),
    ("fr", "Je l'ai vue le 3 mai 24.", "none"),
    ("es", "La vi el 3 de mayo de 24.", "none"),
    ("en", "I was away May 28 - June 3, 2024.", "2024-05-28/2024-06-03"),
    ("en", "I was away from May 28 to June 3, 2024.", "2024-05-28/2024-06-03"),
    ("en", "I was away 28 May - 3 June 2024.", "2024-05-28/2024-06-03"),
    ("en", "I was away December 28 - January 3, 2025.", "2024-12-28/2025-01-03"),
    ("de", "Ich war vom 28. Mai bis 3. Juni 2024 weg.", "2024-05-28/2024-06-03"),
    ("de", "Ich war zwischen dem 3. und 7. Mai 2024 in Köln.", "2024-05-03/2024-05-07"),
    ("de", "Ich war zwischen dem 3. und dem 7. Mai 2024 in Köln.", "2024-05-03/2024-05-07"),
    ("de", "Ich war vom 3. bis 7. Mai 2024 in Köln.", "2024-05-03/2024-05-07"),
    ("fr", "J'étais absent du 28 mai au 3 juin 2024.", "2024-05-28/2024-06-03"),
    ("es", "Estuve fuera del 28 de mayo al 3 de junio de 2024.", "2024-05-28/2024-06-03"),
    ("en", "The first week of May 2025 was cold.", "none"),
    ("en", "The second week of May 2025 was cold.", "none"),
    ("en", "It rained on the last day of May 2024.", "none"),
    ("en", "It rained in the last days of May 2024.", "none"),
    ("en", "It rained in the first half of May 2024.", "none"),
    ("en", "We moved in the second half of 2020.", "none"),
    ("en", "We met in the spring of 2021.", "none"),
    ("en", "It began at the turn of 2020.", "none"),
    ("en", "It rained in May 2024.", "2024-05-01/2024-05-31"),
    ("en", "It rained in the second quarter of 2024.", "2024-04-01/2024-06-30"),
    ("en", "It rained at the end of May 2024.", "2024-05-21/2024-05-31"),
    ("de", "Die erste Woche im Mai 2025 war kalt.", "none"),
    ("de", "Die zweite Woche des Mai 2025 war kalt.", "none"),
    ("de", "Es regnete am letzten Tag im Mai 2024.", "none"),
    ("de", "Wir zogen in der zweiten Hälfte des Jahres 2020 um.", "none"),
    ("de", "Wir trafen uns im Frühling des Jahres 2021.", "none"),
    ("fr", "La première semaine de mai 2025 était froide.", "none"),
    ("fr", "La seconde moitié de 2020 était froide.", "none"),
    ("fr", "Le dernier jour de mai 2024 était froid.", "none"),
    ("fr", "On s'est vus au printemps de 2021.", "none"),
    ("es", "La primera semana de mayo de 2025 fue fría.", "none"),
    ("es", "La segunda mitad de 2020 fue fría.", "none"),
    ("es", "El último día de mayo de 2024 fue frío.", "none"),
    ("es", "Nos vimos en el verano de 2021.", "none"),
    ("zh", "2025年5月第一周很冷。", "none"),
    ("zh", "2020年下半年很冷。", "none"),
    ("zh", "2021年夏天我们见面了。", "none"),
    ("en", "Monday is my favourite day.", "none"),
    ("en", "Monday is a bad day.", "none"),
    ("en", "Sunday roast is my favourite.", "none"),
    ("en", "Friday night pizza is great.", "none"),
    ("en", "We are open Monday to Friday.", "none"),
    ("en", "We met on Monday.", "2026-11-16/2026-11-16"),
    ("en", "We were away from Monday to Wednesday last week.", "2026-11-09/2026-11-11"),
    ("de", "Der Montag ist ein schlechter Tag.", "none"),
    ("de", "Montag ist mein Lieblingstag.", "none"),
    ("de", "Wir haben Montag bis Freitag geöffnet.", "none"),
    ("es", "El lunes es mi día favorito de la semana.", "none"),
    ("es", "El lunes es el peor día.", "none"),
    ("fr", "Le lundi, je vais à la piscine.", "none"),
    ("fr", "Lundi est mon jour préféré.", "none"),
    ("zh", "星期一是我最喜欢的一天。", "none"),
    ("zh", "周日我一般在家。", "none"),
    ("zh", "我们周一见了面。", "2026-11-16/2026-11-16"),
]


def rows():
    for language in LANGUAGES:
        turn = 0
        for concept, texts in TEXTS[language].items():
            for text in texts:
                day = ANCHORS[turn % len(ANCHORS)]
                turn += 1
                yield {"language": language, "said": f"{day.isoformat()}T10:00:00Z", "text": text, "means": CONCEPTS[concept](day)}
    # The day of who speaks is that of their own clock.
    for language, text in (("en", "Yesterday we watched fireworks."), ("de", "Gestern gab es Feuerwerk."),
                           ("fr", "Hier, il y a eu un feu."), ("es", "Ayer hubo fuegos."), ("zh", "昨天我们看了烟花。")):
        yield {"language": language, "said": "2024-01-01T00:30:00+02:00", "text": text, "means": "2023-12-31/2023-12-31"}
        yield {"language": language, "said": "2023-12-31T23:30:00-05:00", "text": text, "means": "2023-12-30/2023-12-30"}
    for language, text, means in IN_PART:
        yield {"language": language, "said": "2026-11-18T10:00:00Z", "text": text, "means": means}


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row, ensure_ascii=False))
