create table tenants (name varchar(40) primary key, plan varchar(253) not null, database varchar(400) not null);
